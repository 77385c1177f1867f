import {
  isSavepointError,
  type OnConflict,
  type Receipt,
  type RewindPlan,
  receiptOf,
} from '../../src/index.ts';
import { isWork } from '../../src/model/plan.ts';
import { act } from './agents.ts';
import type { Command } from './commands.ts';
import {
  expectForeignLinesKept,
  expectMarkReached,
  expectNoNeedlessConflict,
  expectSame,
  expectSameTree,
  foreignLines,
} from './laws.ts';
import { type Event, isLive } from './model/event.ts';
import type { Lines } from './model/fit-folders.ts';
import { setOf, withoutShared } from './model/sets.ts';
import { type Checkpoint, isEffective, type Operation, type Recorded } from './model/timeline.ts';
import { choose, editOf, show } from './mutations.ts';
import type { World } from './world.ts';

/** A rewind, undo or redo that the engine has planned and the model foretold. */
interface Foretold {
  readonly plan: RewindPlan;
  readonly lines: Lines;
}

export function chooseCheckpoint({ timeline }: World, { pick }: Command): Checkpoint | null {
  return choose(timeline.checkpoints, pick);
}

/** Null when the rewind was refused, as it should be, because of conflicts. */
export async function rewindTo(
  world: World,
  checkpoint: Checkpoint,
  command: Command,
): Promise<Receipt | null> {
  const foreign = foreignLines(world, checkpoint);
  // What is shared may be another session's work: who asks for it takes those lines as well.
  if (wantsShared(world, command)) {
    const taken = setOf(world.history.events(), checkpoint, command.take);
    for (const { path, shared } of taken) if (shared) foreign.delete(path);
  }
  const paths = chosenPaths(world, command);
  const foretold = await foretellRewind(world, checkpoint, command, paths);
  const receipt = await carryOut(world, foretold, { kind: 'rewind', reverts: null });
  const gentle = command.take !== 'exact' && command.choice !== 'restore';
  if (gentle) expectForeignLinesKept(world, foreign);
  const toMark = checkpoint.session === null && command.take === 'since';
  if (receipt !== null && toMark && paths === undefined) {
    expectMarkReached(world, checkpoint, foretold.lines, wantsShared(world, command));
  }
  return receipt;
}

export async function undo(world: World, command: Command): Promise<void> {
  const inEffect = world.timeline.operations.filter((operation) => operation.inEffect);
  const named = command.pick % 4 === 0 ? choose(inEffect, command.other) : null;
  const operation = named ?? world.timeline.toUndo();
  const onConflict = choiceOf(command);
  world.note(`undo${named ? ` of ${world.name(named.id)}` : ''}${wish(command)}`);
  if (operation === undefined) {
    return expectRefusal(world, 'nothing-to-undo', () => world.savepoint.planUndo());
  }
  const operationId = named?.id;
  const plan = await world.savepoint.planUndo({
    onConflict,
    ...(operationId === undefined ? {} : { operationId }),
  });
  await takeBack(world, plan, operation, onConflict);
}

export async function redo(world: World, command: Command): Promise<void> {
  const operation = world.timeline.toRedo();
  const onConflict = choiceOf(command);
  world.note(`redo${wish(command)}`);
  if (operation === undefined) {
    return expectRefusal(world, 'nothing-to-redo', () => world.savepoint.planRedo());
  }
  await takeBack(world, await world.savepoint.planRedo({ onConflict }), operation, onConflict);
}

/** Somebody writes between a plan and its execution: the plan must refuse, and touch nothing. */
export async function rewindTooLate(world: World, command: Command): Promise<void> {
  const checkpoint = chooseCheckpoint(world, command);
  if (checkpoint === null) return;
  const { plan, lines } = await foretellRewind(
    world,
    checkpoint,
    { ...command, choice: 'none' },
    undefined,
  );
  const touched = [...lines].filter(([, line]) => isEffective(line)).map(([path]) => path);
  const path = choose(touched, command.path);
  const who = command.pick % 2 === 0 ? 'person' : 's2';
  const late: Command = { ...command, who, pick: 0 };
  const edit = path && editOf(world, late, path, [path]);
  if (!edit) return;
  world.note('  but before that is carried out:');
  await act(world, late, edit);
  await expectRefusal(world, 'plan-stale', () => world.savepoint.apply(plan));
}

async function foretellRewind(
  world: World,
  checkpoint: Checkpoint,
  command: Command,
  paths: readonly string[] | undefined,
): Promise<Foretold> {
  const { take } = command;
  const onConflict = choiceOf(command);
  const includeShared = wantsShared(world, command);
  const all = setOf(world.history.events(), checkpoint, take);
  const exact = take === 'exact';
  const { set, leftOut } =
    includeShared || exact ? { set: all, leftOut: [] } : withoutShared(all, take);
  const lines = world.timeline.plan(set, { onConflict, paths, leftOut, exact });
  const only = paths === undefined ? '' : ` for ${paths.map(show).join(', ')} only`;
  const shared = includeShared ? ' with what is shared' : '';
  world.note(`rewind ${take} ${world.name(checkpoint.id)}${wish(command)}${shared}${only}`);
  if (take !== 'exact') expectNoNeedlessConflict(world, set);
  const named = paths?.map((path) => world.disk.named(path, command.other % 2 === 0));
  const plan = await world.savepoint.planRewind({
    to: checkpoint.id,
    take,
    onConflict,
    paths: named,
    includeShared,
  });
  return { plan, lines };
}

async function takeBack(
  world: World,
  plan: RewindPlan,
  operation: Operation,
  onConflict: OnConflict | undefined,
): Promise<void> {
  const set: Set<Event> = new Set(operation.events.filter(isLive));
  const lines = world.timeline.plan(set, {
    onConflict,
    paths: undefined,
    leftOut: [],
    exact: false,
  });
  const kind = plan.kind;
  await carryOut(world, { plan, lines }, { kind, reverts: operation.id });
}

/** The engine must do what was foretold, and say afterwards what it said before. */
async function carryOut(
  world: World,
  { plan, lines }: Foretold,
  made: Pick<Recorded, 'kind' | 'reverts'>,
): Promise<Receipt | null> {
  expectSame(
    'the plan',
    verdictsOf(plan),
    new Map([...lines].map(([path, { verdict }]) => [path, verdict])),
  );
  const conflicts = [...lines.values()].some(({ verdict }) => verdict === 'conflict');
  if (plan.onConflict === 'fail' && conflicts) {
    await expectRefusal(world, 'conflicts', () => world.savepoint.apply(plan));
    return null;
  }
  const receipt = await world.savepoint.apply(plan);
  const { operationId, safetyCheckpointId } = receipt;
  expectSame(
    'the receipt',
    { ...receipt, operationId: null, safetyCheckpointId: null },
    receiptOf(plan),
  );
  const lost = [...lines.values()].some(({ isLost }) => isLost);
  expectSame('success', receipt.success, !conflicts && !lost);
  expectSame('a record', operationId !== null, [...lines.values()].some(isEffective));
  if (operationId !== null && safetyCheckpointId !== null) {
    world.note(
      `  (operation ${world.name(operationId)}, safety ${world.name(safetyCheckpointId)})`,
    );
    for (const [path, { muddles }] of lines) if (muddles) world.muddled.add(path);
    world.timeline.record(lines, { ...made, id: operationId, safetyId: safetyCheckpointId });
  }
  expectSameTree(world);
  return receipt;
}

export async function expectRefusal(
  world: World,
  code: Parameters<typeof isSavepointError>[1],
  attempt: () => Promise<unknown>,
): Promise<void> {
  const refusal = await attempt().then(
    () => null,
    (error: unknown) => error,
  );
  if (!isSavepointError(refusal, code)) {
    throw new Error(`expected ${code}, got ${String(refusal)}`, { cause: refusal });
  }
  expectSameTree(world);
}

function verdictsOf(plan: RewindPlan): Map<string, string> {
  return new Map(plan.lines.map((line) => [line.path, isWork(line) ? 'work' : line.action]));
}

/** Most rewinds are of everything; some of one path and what is below it. */
function chosenPaths({ history }: World, { path, other }: Command): readonly string[] | undefined {
  const chosen = other % 6 === 0 ? choose([...history.chains.keys()], path) : null;
  return chosen === null ? undefined : [chosen];
}

/** Without scans nothing is shared. */
function wantsShared({ scans }: World, { path }: Command): boolean {
  return scans !== null && path % 3 === 1;
}

function choiceOf({ choice }: Command): OnConflict | undefined {
  return choice === 'none' ? undefined : choice;
}

function wish({ choice }: Command): string {
  return choice === 'none' ? '' : `, on conflict ${choice}`;
}
