import { isSavepointError } from '../../src/index.ts';
import { endTurn, mark, mutate, nextMessage } from './agents.ts';
import type { Command, CommandKind } from './commands.ts';
import { startIgnoring, stopIgnoring, writeIgnored } from './ignored.ts';
import { expectBlobsReadable, expectReplayed, expectSame, expectSameTree } from './laws.ts';
import { chooseCheckpoint, redo, rewindTo, rewindTooLate, undo } from './rewinds.ts';
import { closeWindow, loseIndex, openWindow, scan, shell, shellLate } from './shell.ts';
import { archive, cleanUp, evict, expectListed, reopen } from './upkeep.ts';
import { type StoreKind, World } from './world.ts';

/**
 * Plays a sequence on a real project and on the model, and compares them after every step: by the
 * design's rule for each path, done over with parts instead of lines, and, as far as it can tell, by
 * simply replaying the edits that count.
 */
export async function runSequence(
  kind: StoreKind,
  commands: readonly Command[],
  prepare: (world: World) => void = () => undefined,
): Promise<void> {
  const world = new World(kind);
  try {
    prepare(world);
    await world.open();
    for (const command of commands) {
      world.takeTurn();
      await (ACTS[command.kind] ?? mutate)(world, command);
      expectSameTree(world);
      expectReplayed(world);
    }
    await expectListed(world);
    await expectBlobsReadable(world);
  } catch (error) {
    throw withTrace(error, world.trace);
  } finally {
    await world.close();
  }
}

type Act = (world: World, command: Command) => Promise<void>;

/** Everything that is not simply done to files. */
const ACTS: Partial<Record<CommandKind, Act>> = {
  message: nextMessage,
  mark,
  'end-turn': endTurn,
  rewind: async (world, command) => {
    const checkpoint = chooseCheckpoint(world, command);
    if (checkpoint !== null) await rewindTo(world, checkpoint, command);
  },
  undo,
  redo,
  'there-and-back': thereAndBack,
  twice,
  stale: rewindTooLate,
  evict,
  cleanup: cleanUp,
  archive,
  reopen,
  shell,
  'shell-late': shellLate,
  'open-window': openWindow,
  'close-window': closeWindow,
  scan,
  'lose-index': loseIndex,
  'write-ignored': writeIgnored,
  'stop-ignoring': stopIgnoring,
  'start-ignoring': startIgnoring,
};

/** Undo after a rewind is the identity, and so is redo after that undo. */
async function thereAndBack(world: World, command: Command): Promise<void> {
  const checkpoint = chooseCheckpoint(world, command);
  if (checkpoint === null) return;
  const here = world.disk.read();
  const receipt = await rewindTo(world, checkpoint, command);
  if (receipt === null || receipt.operationId === null) return;
  const there = world.disk.read();
  const plainly: Command = { ...command, choice: 'none', pick: 1 };
  await undo(world, plainly);
  expectSame('the project after undo', world.disk.read(), here);
  await redo(world, plainly);
  expectSame('the project after redo', world.disk.read(), there);
}

/** Who rewinds twice has rewound once. */
async function twice(world: World, command: Command): Promise<void> {
  const checkpoint = chooseCheckpoint(world, command);
  if (checkpoint === null || (await rewindTo(world, checkpoint, command)) === null) return;
  const once = world.disk.read();
  const again = await rewindTo(world, checkpoint, command);
  expectSame('the project after another rewind', world.disk.read(), once);
  expectSame('a record of another rewind', again?.operationId ?? null, null);
}

function withTrace(error: unknown, trace: readonly string[]): Error {
  const reason = isSavepointError(error)
    ? `${error.code}: ${error.message} (${error.path})`
    : String(error);
  const steps = trace.map((line, index) => `  ${index + 1}. ${line}`);
  return new Error(`${reason}\nafter these steps:\n${steps.join('\n')}`, { cause: error });
}
