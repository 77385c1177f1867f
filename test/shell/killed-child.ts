import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint } from '../../src/index.ts';

/* A process that works on a project until somebody kills it. Says "done" when it has nothing left to do. */
const [project = '', home = '', ...edited] = process.argv.slice(2);
const savepoint = await openSavepoint({ project, home, scan: true, environment: process.env });
await savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1' });
const window = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
for (const path of edited) appendFileSync(join(project, path), 'edited\n');
await savepoint.closeWindow(window.id);
process.stdout.write('done\n');
setInterval(() => {}, 60_000);
