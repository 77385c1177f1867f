import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Capture, openSavepoint, type Savepoint } from 'savepoint';
import { atMost, type Benchmark, fasterBy } from './benchmark.ts';
import { alternate, clock, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';
import { sourceText } from './source-text.ts';

const SIZES = [
  { text: '4 KiB', bytes: 4 * 1024 },
  { text: '100 KiB', bytes: 100 * 1024 },
  { text: '1 MiB', bytes: 1024 * 1024 },
] as const;
// An agent edits several files for one message; the checkpoint is made with the first of them.
const CAPTURES_PER_MESSAGE = 5;
// An hour's work. By then the database's log has its full length and is written over, not extended.
const EARLIER_CAPTURES = 150;

/** What an agent waits for before each edit, held against what the same bytes cost without us. */
export const CAPTURE: readonly Benchmark[] = SIZES.flatMap(({ text, bytes }) => [
  {
    name: `capture of a ${text} file`,
    against: 'open, write, fsync of file and folder',
    bar: atMost(2.5),
    run: (scratch: Scratch) => contest(scratch, bytes, plainCopy),
  },
  {
    name: `capture of a ${text} file`,
    against: 'spawned `git hash-object -w`',
    bar: fasterBy(8),
    run: (scratch: Scratch) => contest(scratch, bytes, gitObject),
  },
]);

type Opponent = (scratch: Scratch, project: string, bytes: number) => Side;

async function contest(scratch: Scratch, bytes: number, opponent: Opponent): Promise<Samples> {
  const project = scratch.repository('project');
  scratch.make('project', 'src');
  const savepoint = await openSavepoint({ project, home: scratch.make('home') });
  try {
    for (let nth = 0; nth < EARLIER_CAPTURES; nth += 1) {
      putFile(join(project, `src/earlier-${nth}.ts`), sourceText(2_000, -nth));
      await before(savepoint, `src/earlier-${nth}.ts`, nth);
    }
    return await alternate(capture(savepoint, bytes), opponent(scratch, project, bytes));
  } finally {
    await savepoint.close();
  }
}

/** A path and a content that the store has not seen, as before an agent's first edit of a file. */
function capture(savepoint: Savepoint, bytes: number): Side {
  const name = (round: number) => `src/ours-${round}.ts`;
  const content = (round: number) => sourceText(bytes, 2 * round + 1);
  let made: Capture;
  return {
    prepare: (round) => putFile(join(savepoint.root, name(round)), content(round)),
    time: (round) =>
      clock(async () => {
        made = await before(savepoint, name(round), EARLIER_CAPTURES + round);
      }),
    verify: async (round) => {
      const state = made.changes[0]?.before;
      const kept =
        state?.kind === 'captured' && state.blob ? await savepoint.readBlob(state.blob) : [];
      if (!content(round).equals(Buffer.from(kept))) throw new Error('the capture is not whole');
    },
  };
}

function before(savepoint: Savepoint, path: string, nth: number): Promise<Capture> {
  const messageId = `message-${Math.floor(nth / CAPTURES_PER_MESSAGE)}`;
  const toolCallId = `call-${nth}`;
  return savepoint.captureBefore({ sessionId: 'session', messageId, toolCallId, paths: [path] });
}

function plainCopy(scratch: Scratch, _project: string, bytes: number): Side {
  let content: Buffer;
  const copies = scratch.make('copies');
  return {
    prepare: (round) => {
      content = sourceText(bytes, 2 * round + 2);
    },
    time: (round) => clock(() => putFile(join(copies, `theirs-${round}.ts`), content)),
  };
}

function gitObject(scratch: Scratch, project: string, bytes: number): Side {
  const name = (round: number) => `src/theirs-${round}.ts`;
  return {
    prepare: (round) => putFile(join(project, name(round)), sourceText(bytes, 2 * round + 2)),
    time: (round) => scratch.timeGit(project, 'hash-object', '-w', name(round)),
  };
}

/** Durable, so that nothing of it is left for whoever is timed next. */
function putFile(path: string, content: Uint8Array): void {
  const file = openSync(path, 'wx');
  writeSync(file, content);
  fsyncSync(file);
  closeSync(file);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
