import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSavepoint, type Store, sqliteStore, storeDirectory } from 'savepoint';
import { atMost, type Benchmark } from './benchmark.ts';
import { CHECKPOINTS, fillTimeline, takeAllBack } from './long-timeline.ts';
import { alternate, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'bin/savepoint.cjs');
const BAR = atMost(2.5);
const LINES = 5_000;
const CHANGED_EVERY = 100;
const FILE = 'long.txt';

const AGAINST = '`node -e 0`';
const STORE = `in a store of ${CHECKPOINTS.toLocaleString('en')} checkpoints`;

/** From the key to the last line, as a person waits for it: mostly what Node itself takes to start. */
export const COMMAND_LINE: readonly Benchmark[] = [
  {
    name: `\`savepoint list\`, end to end, ${STORE}`,
    against: AGAINST,
    bar: BAR,
    run: (scratch) => contest(scratch, ['list'], 'message-long'),
  },
  {
    name: `\`savepoint list\`, end to end, ${STORE} without changes`,
    against: AGAINST,
    bar: BAR,
    run: (scratch) => contest(scratch, ['list'], '@ ', (store) => fillTimeline(store, 0)),
  },
  {
    name: `\`savepoint list\`, end to end, ${STORE} that one rewind took back`,
    against: AGAINST,
    bar: null,
    run: (scratch) => contest(scratch, ['list'], '@ before all of them', fillAndTakeBack),
  },
  {
    name: `\`savepoint diff\` of a file of ${LINES.toLocaleString('en')} lines, end to end, ${STORE}`,
    against: AGAINST,
    bar: BAR,
    run: (scratch) => contest(scratch, ['diff', 'latest'], `+${changedLine(0)}`),
  },
  {
    name: "`import 'savepoint'`",
    against: AGAINST,
    bar: atMost(2),
    run: (scratch) => alternate(importing(scratch), emptyNode(scratch)),
  },
];

/** The built library, from the folder in which its name means this package. */
function importing(scratch: Scratch): Side {
  let printed = '';
  return {
    time: async () => {
      const script = "import('savepoint').then((entry) => console.log(typeof entry.openSavepoint))";
      const report = await scratch.spawn(process.execPath, ROOT, ['-e', script]);
      printed = report.output;
      return report.elapsed;
    },
    verify: () => {
      if (!printed.includes('function')) throw new Error(`importing savepoint printed: ${printed}`);
    },
  };
}

async function contest(
  scratch: Scratch,
  args: string[],
  shown: string,
  fill?: (store: Store) => Promise<void>,
): Promise<Samples> {
  const project = scratch.make('project');
  if (fill === undefined) await plantTimeline(scratch, project);
  else await fillStore(scratch, project, fill);
  return alternate(savepoint(scratch, project, args, shown), emptyNode(scratch));
}

function savepoint(scratch: Scratch, project: string, args: string[], shown: string): Side {
  let printed = '';
  return {
    time: async () => {
      const report = await scratch.spawn(process.execPath, project, [BIN, ...args]);
      printed = report.output;
      return report.elapsed;
    },
    verify: () => {
      if (!printed.includes(shown)) throw new Error(`savepoint ${args[0]} printed: ${printed}`);
    },
  };
}

function emptyNode(scratch: Scratch): Side {
  return {
    time: async () => (await scratch.spawn(process.execPath, scratch.folder, ['-e', '0'])).elapsed,
  };
}

/** The long timeline, and on top of it a message that changed some lines of a long file. */
async function plantTimeline(scratch: Scratch, project: string): Promise<void> {
  const file = join(project, FILE);
  writeFileSync(file, textOf(originalLine));
  const home = await fillStore(scratch, project, fillTimeline);
  const timeline = await openSavepoint({ project, home });
  const message = { sessionId: 'session-long', messageId: 'message-long' };
  const capture = await timeline.captureBefore({ ...message, paths: [FILE] });
  writeFileSync(
    file,
    textOf((line) => (line % CHANGED_EVERY === 0 ? changedLine(line) : originalLine(line))),
  );
  await timeline.captureAfter(capture);
  await timeline.close();
}

/** Returns where the store is: where the command looks for it, with the scratch folder as home. */
async function fillStore(
  scratch: Scratch,
  project: string,
  fill: (store: Store) => Promise<void>,
): Promise<string> {
  const home = join(scratch.folder, '.local', 'share', 'savepoint');
  const opened = await openSavepoint({ project, home });
  await opened.close();
  const store = await sqliteStore({ directory: storeDirectory(home, project) });
  await fill(store);
  await store.close();
  return home;
}

async function fillAndTakeBack(store: Store): Promise<void> {
  await fillTimeline(store);
  await takeAllBack(store);
}

function textOf(lineAt: (line: number) => string): string {
  return Array.from({ length: LINES }, (_, line) => `${lineAt(line)}\n`).join('');
}

function originalLine(line: number): string {
  return `  const value${line} = compute(${line}, 'as it was');`;
}

function changedLine(line: number): string {
  return `  const value${line} = compute(${line}, 'as an agent had it');`;
}
