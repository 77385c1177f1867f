import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSavepointError, openSavepoint, type Receipt, type Savepoint } from '../../src/index.ts';
import type { Arena, Contest } from './race.ts';

export interface Rewinds {
  done: number;
  refused: number;
  escapes: number;
  /** What the files hold in the end. */
  readonly files: string[];
}

/** A busy machine lets the other process run late. */
const MOST_TIMES = 10_000;

// Contents only: for a file that has to come back the engine would make the folder again while it is
// on its way between two names, and the swapper could not go on.
const FILES = ['file', 'made', 'mode'];

/** Goes to and fro with whole operations, at least so often. Each does its work or is refused, typed; none escapes. */
export async function wholeRewinds(arena: Arena, times: number): Promise<Contest<Rewinds>> {
  const savepoint = await openSavepoint({ project: arena.root, home: join(arena.base, 'home') });
  const to = await agentWorks(arena, savepoint);
  const counted: Rewinds = { done: 0, refused: 0, escapes: 0, files: [] };
  return {
    run: async () => {
      const isShown = () => counted.done > 0 && counted.refused > 0;
      for (let n = 0; n < times || (!isShown() && n < MOST_TIMES); n += 1) {
        counted[(await worked(operation(savepoint, to, n))) ? 'done' : 'refused'] += 1;
        if (arena.escaped()) counted.escapes += 1;
      }
    },
    result: async () => {
      await savepoint.recover();
      counted.files.push(...FILES.map((name) => readFileSync(join(arena.dir, name), 'utf8')));
      await savepoint.close();
      return counted;
    },
  };
}

async function agentWorks({ dir }: Arena, savepoint: Savepoint): Promise<string> {
  const paths = FILES.map((name) => `dir/${name}`);
  const capture = await savepoint.captureBefore({ sessionId: 's', messageId: 'm', paths });
  for (const name of FILES) writeFileSync(join(dir, name), 'agent\n');
  await savepoint.captureAfter(capture);
  return capture.checkpointId;
}

function operation(savepoint: Savepoint, to: string, n: number): Promise<Receipt> {
  if (n % 3 === 0) return savepoint.rewind({ to });
  return n % 3 === 1 ? savepoint.undo() : savepoint.redo();
}

async function worked(running: Promise<Receipt>): Promise<boolean> {
  try {
    return (await running).operationId !== null;
  } catch (error) {
    if (isSavepointError(error)) return false;
    throw error;
  }
}
