import { once } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint, type Savepoint } from '../../src/index.ts';
import { openSharedStore } from './open-shared-store.ts';
import type { WorkerReport } from './report.ts';
import { withoutLock } from './without-lock.ts';

// One of several agents on one project: node worker.ts PROJECT HOME NAME OPERATIONS lock|no-lock [URL PROJECT-NAME]
const [project = '', home = '', session = '', operations = '0', lock, url, name = ''] =
  process.argv.slice(2);
// The first one to come makes the store, and all come at once.
const server = url === undefined ? null : { url, name };
const store = await openSharedStore(project, home, server);
const savepoint: Savepoint = await openSavepoint({
  project,
  store: lock === 'lock' ? store : withoutLock(store),
});

mkdirSync(join(project, session));
const report: WorkerReport = {
  session,
  changes: [],
  checkpoints: [],
  operations: [],
  files: {},
  failures: [],
};
/** Own files as they were when each message began. */
const begun = new Map<string, Record<string, string>>();
let message = '';
let random = [...session].reduce((sum, sign) => sum + sign.charCodeAt(0), 1);

process.stdout.write('ready\n');
await once(process.stdin, 'data');
for (let n = 0; n < Number(operations); n += 1) {
  try {
    await operate(n);
  } catch (error) {
    report.failures.push(describe(error));
  }
}
await savepoint.close();
process.stdout.write(JSON.stringify(report));
process.stdin.destroy();

/** Mostly writes, to own files and to those that everybody writes; now and then a way back. */
async function operate(n: number): Promise<void> {
  const chance = next(100);
  if (message === '' || chance < 10) await beginMessage(n);
  else if (chance < 65) await writeOwn(n);
  else if (chance < 90) await writeShared(n);
  else await goBack(chance >= 95);
}

async function beginMessage(n: number): Promise<void> {
  const messageId = `message ${n}`;
  const { id } = await savepoint.checkpoint({ sessionId: session, messageId });
  message = messageId;
  report.checkpoints.push(id);
  begun.set(message, { ...report.files });
}

async function writeOwn(n: number): Promise<void> {
  const name = `file-${next(5)}`;
  const path = `${session}/${name}`;
  const content = `${session} ${n}\n`;
  await tool(path, () => writeFileSync(join(project, path), content));
  report.files[name] = content;
}

async function writeShared(n: number): Promise<void> {
  const path = `shared/file-${next(3)}`;
  await tool(path, () => appendFileSync(join(project, path), `${session} ${n}\n`));
}

async function tool(path: string, work: () => void): Promise<void> {
  const request = { sessionId: session, messageId: message, paths: [path] };
  const capture = await savepoint.captureBefore(request);
  for (const change of capture.changes) report.changes.push({ seq: change.seq, path: change.path });
  work();
  await savepoint.captureAfter(capture);
}

/** Rewinds own files to a message, and undoes that again or not. */
async function goBack(andForth: boolean): Promise<void> {
  const messages = [...begun.keys()];
  const messageId = messages[next(messages.length)] ?? '';
  const [checkpoint] = await savepoint.list({ sessionIds: [session], messageId });
  const to = checkpoint?.id ?? '';
  const receipt = await savepoint.rewind({ to, paths: [session] });
  if (!receipt.success) throw new Error(`a rewind left ${JSON.stringify(receipt)}`);
  const { operationId } = receipt;
  if (operationId !== null) report.operations.push(operationId);
  if (andForth && operationId !== null) {
    const undone = await savepoint.undo({ operationId });
    if (undone.operationId !== null) report.operations.push(undone.operationId);
    return;
  }
  replaceFiles(begun.get(messageId) ?? {});
  // Later messages are taken back with it, and a new one begins.
  for (const later of messages.slice(messages.indexOf(messageId) + 1)) begun.delete(later);
  message = '';
}

function replaceFiles(files: Record<string, string>): void {
  for (const name of Object.keys(report.files)) delete report.files[name];
  Object.assign(report.files, files);
}

/** The same for each run of the same worker, so that a failure can be looked for. */
function next(below: number): number {
  random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((random / 2_147_483_648) * below);
}

function describe(error: unknown): string {
  const { code, message: text, cause } = error as { code?: string } & Error;
  return `${code ?? ''} ${text}${cause === undefined ? '' : ` because ${describe(cause)}`}`;
}
