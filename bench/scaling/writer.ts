import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint } from 'savepoint';
import { postgresStore } from 'savepoint/postgres';
import { sourceText } from '../source-text.ts';

// One agent of a fleet: node writer.ts URL PROJECT FOLDER DIRECTORY NAME MESSAGES MILLISECONDS
// Sessions of so many messages, each with an edit of a file, one after the other until the time is over.
const [
  url = '',
  name = '',
  folder = '',
  directory = '',
  agent = '',
  messages = '1',
  time = '1000',
] = process.argv.slice(2);
const BYTES = 4 * 1024;

const store = await postgresStore({ url, project: name, directory });
const savepoint = await openSavepoint({ project: folder, store });
const done = { sessions: 0, checkpoints: 0 };

async function message(session: string, nth: number): Promise<void> {
  const paths = [`${agent}-${nth % 20}.ts`];
  const request = { sessionId: session, messageId: `message ${nth}` };
  await savepoint.checkpoint(request);
  const capture = await savepoint.captureBefore({ ...request, paths });
  writeFileSync(join(folder, `${paths}`), sourceText(BYTES, done.checkpoints));
  await savepoint.captureAfter(capture);
}

// Compiled, and connected, before it is timed.
for (let nth = 0; nth < 5; nth += 1) await message(`${agent} warms up`, nth);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const end = performance.now() + Number(time);
while (performance.now() < end) {
  const session = `${agent} ${done.sessions}`;
  for (let nth = 0; nth < Number(messages) && performance.now() < end; nth += 1) {
    await message(session, nth);
    done.checkpoints += 1;
  }
  done.sessions += 1;
}
process.stdout.write(JSON.stringify(done));
await savepoint.close();
process.stdin.destroy();
