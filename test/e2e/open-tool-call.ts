import { setTimeout } from 'node:timers/promises';
import { openSavepoint } from '../../src/index.ts';

// A process that begins a tool call: node open-tool-call.ts PROJECT HOME stay|end
const [project = '', home = '', then = 'end'] = process.argv.slice(2);
const savepoint = await openSavepoint({ project, home });
const request = { sessionId: 'agent', messageId: 'm1', paths: ['file'], toolCallId: 'call-2' };
await savepoint.captureBefore(request);
process.stdout.write('open\n');
// Long enough for any test; whoever started us kills us before.
if (then === 'stay') await setTimeout(60_000);
await savepoint.close();
