import type { RetentionRules } from '../../src/index.ts';
import type { Command } from './commands.ts';
import { expectBlobsReadable, expectSame } from './laws.ts';
import type { Checkpoint } from './model/timeline.ts';
import { choose } from './mutations.ts';
import type { World } from './world.ts';

/** Takes some checkpoints away. What is still listed must stay wholly restorable. */
export async function evict(world: World, command: Command): Promise<void> {
  const { timeline, savepoint } = world;
  const gone = new Set<string>(toEvict(world, command).map(({ id }) => id));
  if (gone.size === 0) return;
  world.note(`${[...gone].map((id) => world.name(id)).join(', ')} evicted`);
  const listed = await savepoint.list();
  await savepoint.evict(listed.map(({ id }) => id).filter((id) => gone.has(id)));
  timeline.checkpoints = timeline.checkpoints.filter(({ id }) => !gone.has(id));
  await expectListed(world);
}

/** Some here and there, or all that are older than one. */
function toEvict({ timeline }: World, { pick, path }: Command): Checkpoint[] {
  const { checkpoints } = timeline;
  if (pick % 2 === 0) return checkpoints.slice(1 + (path % checkpoints.length));
  return checkpoints.filter((_, index) => (path >> (index % 8)) % 2 === 1);
}

const RULES: readonly Partial<RetentionRules>[] = [
  {},
  { retentionDays: 0 },
  { retentionDays: 0 },
  { maxCheckpointsPerSession: 3 },
  { retentionDays: 0, maxCheckpointsPerSession: 2 },
];

/** Clean-up decides by its rules what goes; the model only follows, and expects the rest to work. */
export async function cleanUp(world: World, command: Command): Promise<void> {
  const { timeline, savepoint, history } = world;
  // The record is only shortened where nothing old is listed any more.
  if (command.other % 2 === 0) await evict(world, { ...command, pick: 0 });
  const rules = choose(RULES, command.pick) ?? {};
  world.note(`clean-up by ${JSON.stringify(rules)}`);
  await savepoint.cleanup(rules, 20);
  const listed = new Set<string>((await savepoint.list()).map(({ id }) => id));
  const operations = new Set<string>((await savepoint.operations()).map(({ id }) => id));
  const sessions = new Set((await savepoint.sessions()).map(({ id }) => id));
  timeline.checkpoints = timeline.checkpoints.filter(({ id }) => listed.has(id));
  timeline.operations = timeline.operations.filter(({ id }) => operations.has(id));
  for (const event of history.events()) {
    if (event.session !== null && !sessions.has(event.session)) event.session = null;
    event.coAuthors = event.coAuthors.map((one) =>
      sessions.has(one.session ?? '') ? one : { ...one, session: null },
    );
  }
  timeline.prune();
  await expectListed(world);
  await expectBlobsReadable(world);
}

export async function archive(world: World, command: Command): Promise<void> {
  const sessions = (await world.savepoint.sessions()).map(({ id }) => id);
  if (!sessions.includes(command.who)) return;
  world.say(command, 'is archived');
  await world.savepoint.archiveSession(command.who);
}

export async function reopen(world: World, { pick }: Command): Promise<void> {
  const isKilled = pick % 2 === 0;
  world.note(`the project is opened anew${isKilled ? ', after the programs were killed' : ''}`);
  await (isKilled ? world.restart() : world.reopen());
}

export async function expectListed({ timeline, savepoint }: World): Promise<void> {
  const ids = (rows: readonly { id: string }[]): string => rows.map(({ id }) => id).join(' ');
  expectSame('the list', ids(await savepoint.list()), ids(timeline.checkpoints));
  expectSame('the log', ids(await savepoint.operations()), ids(timeline.operations));
}
