import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint, type Savepoint, type Store, type TrackedPath } from 'savepoint';
import { ProjectStorage } from 'savepoint/execution';
import { clock, median } from '../measure.ts';
import { sourceText } from '../source-text.ts';

export const CHECKPOINTS = 20;
const BYTES = 500;
const FILES = 10;
const ROUNDS = 31;

/** A project as it is copied: messages that each change two files, one rewind, and some state. */
export async function fillProject(folder: string, store: Store): Promise<void> {
  const savepoint = await openSavepoint({ project: folder, store });
  for (let nth = 0; nth < CHECKPOINTS; nth += 1) await message(savepoint, nth);
  const [newest] = await savepoint.list({ limit: 1 });
  await savepoint.rewind({ to: newest?.id ?? '' });
  const documents = new ProjectStorage({ store });
  for (let step = 0; step < CHECKPOINTS; step += 1)
    await documents.save('state', `${step}`, state(step));
  await savepoint.close();
}

export const messageNamed = (nth: number): string => `message ${nth}`;

async function message(savepoint: Savepoint, nth: number): Promise<void> {
  const request = { sessionId: `session ${Math.floor(nth / 10)}`, messageId: messageNamed(nth) };
  await savepoint.checkpoint({ ...request, description: 'what a person asks for' });
  const paths = [`${nth % FILES}.ts`, `${(nth * 7 + 1) % FILES}.ts`];
  const capture = await savepoint.captureBefore({ ...request, paths });
  for (const path of paths) writeFileSync(join(savepoint.root, path), sourceText(BYTES, nth));
  await savepoint.captureAfter(capture);
}

function state(step: number): object {
  return {
    step,
    messages: Array.from({ length: 20 }, (_, nth) => `${nth < 19 ? nth : step} `.repeat(100)),
  };
}

/** The median milliseconds of what is asked of one project, by what it is. */
export async function timeQueries(
  savepoint: Savepoint,
  store: Store,
): Promise<Map<string, number>> {
  const documents = new ProjectStorage({ store });
  const { timeline } = store;
  const path = '3.ts' as TrackedPath;
  const [newest, older] = await savepoint.list({ limit: 2 });
  const to = older?.id ?? newest?.id ?? '';
  let nth = 1_000;
  const queries: Readonly<Record<string, () => Promise<unknown>>> = {
    'the newest 50 checkpoints': () => savepoint.list({ limit: 50 }),
    sessions: () => timeline.sessions(),
    'changes of a path': () => timeline.changes({ paths: [path] }),
    'heads of all paths': () => timeline.heads(),
    'the plan of a rewind': () => savepoint.planRewind({ to }),
    'a message with an edit of two files': () => message(savepoint, nth++),
    'saving a state': () => documents.save('state', `${nth++}`, state(nth)),
    'reading a state': () => documents.load('state', '7'),
    'what a prune would remove': () => store.maintain('prunable', 5),
  };
  const found = new Map<string, number>();
  for (const [name, ask] of Object.entries(queries)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS + 5; round += 1) times.push(await clock(ask));
    found.set(name, median(times.slice(5)));
  }
  return found;
}
