import type { Command } from './commands.ts';
import type { Event } from './model/event.ts';
import { type Author, NOBODY } from './model/history.ts';
import { type Mutation, performInModel, performOnDisk } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';
import type { World } from './world.ts';

/** Somebody does something to files, if there is something to do it to. */
export async function mutate(world: World, command: Command): Promise<void> {
  const mutation = MUTATIONS[command.kind]?.(world, command) ?? null;
  // Links in a circle are refused; that is told elsewhere.
  const isPossible = mutation?.names.every((name) => world.history.resolve(name) !== null);
  if (mutation !== null && isPossible) await act(world, command, mutation);
}

/** A session says what it is about to do; of what a person does the engine is not told. */
export async function act(world: World, command: Command, mutation: Mutation): Promise<void> {
  world.say(command, mutation.says);
  if (command.who === 'person' || command.inShell) perform(world, mutation, 'person');
  else await captured(world, command, mutation);
}

/** The same on the disk and in the model. */
function perform(world: World, mutation: Mutation, by: 'agent' | 'person'): void {
  const before = new Map(world.history.tree);
  const born = world.fresh();
  performOnDisk(world.disk, mutation);
  performInModel(world.history, mutation, by);
  for (const [path, entry] of world.history.tree) {
    const old = before.get(path);
    const goesOn = old?.kind === 'text' && entry.kind === 'text' && old.text === entry.text;
    if (old !== entry && !goesOn) world.births.set(path, born);
  }
}

/** A new message of the session; some are announced, others begin with their first capture. */
export async function nextMessage(world: World, command: Command): Promise<void> {
  const { who, pick } = command;
  if (who === 'person') return;
  world.messages.set(who, (world.messages.get(who) ?? 0) + 1);
  world.say(command, 'gets a message');
  if (pick % 2 === 0) return;
  const messageId = messageOf(world, who);
  const { id } = await world.savepoint.checkpoint({ ...sessionOf(who), messageId });
  world.scanned(who);
  noteMessage(world, id, who, messageId);
}

/** A point to return to, made by hand: a session's, or everybody's. */
export async function mark(world: World, command: Command): Promise<void> {
  const session = command.pick % 4 === 0 && command.who !== 'person' ? command.who : null;
  const request = session === null ? {} : sessionOf(session);
  const { id } = await world.savepoint.checkpoint(request);
  world.scanned();
  world.note(`checkpoint ${world.name(id)} is made by hand${session ? ` for ${session}` : ''}`);
  world.timeline.addCheckpoint({ id, session, messageId: null });
}

export async function endTurn(world: World, command: Command): Promise<void> {
  const { history } = world;
  const open = history.events().filter((event) => event.open && event.session === command.who);
  if (command.who === 'person' || !canStayOpen(world, open)) return;
  world.say(command, 'ends its turn');
  await world.savepoint.endTurn(command.who);
  for (const event of open) event.open = false;
  world.scanned(command.who);
}

async function captured(world: World, command: Command, mutation: Mutation): Promise<void> {
  const { who, pick } = command;
  const { savepoint, history, disk } = world;
  const messageId = messageOf(world, who);
  const paths = mutation.names.map((name) => disk.named(name, pick % 3 === 0));
  const capture = await savepoint.captureBefore({ ...sessionOf(who), messageId, paths });
  noteMessage(world, capture.checkpointId, who, messageId);
  const { checkpointId: checkpoint } = capture;
  const author: Author = { ...NOBODY, by: 'agent', session: who, checkpoint };
  const opened = history.begin(mutation.names, author, world.finder);
  expectSamePaths(capture.changes, opened);
  if (pick % 11 === 3) await scanBetween(world);
  perform(world, mutation, 'agent');
  if (pick % 13 === 3 && canStayOpen(world, opened)) await scanBetween(world);
  if (pick % 9 === 0 && canStayOpen(world, opened)) {
    world.note('  and does not say when it is done');
    return;
  }
  await savepoint.captureAfter(capture);
  history.end(opened, author, world.finder);
}

/** The other program scans while a tool is at work. */
async function scanBetween(world: World): Promise<void> {
  if (world.scans === null) return;
  world.note('  a scan comes between');
  world.takeTurn();
  await world.savepoint.scan();
  world.scanned();
}

/** Whose doing it is what appears in an open folder is not the model's to say. */
function canStayOpen({ history }: World, opened: readonly Event[]): boolean {
  return opened.every(
    ({ path, before }) => before?.kind !== 'folder' && history.at(path)?.kind !== 'folder',
  );
}

function expectSamePaths(found: readonly { path: string }[], opened: readonly Event[]): void {
  const names = (rows: readonly { path: string }[]): string =>
    rows
      .map(({ path }) => JSON.stringify(path))
      .sort()
      .join(', ');
  if (names(found) === names(opened)) return;
  throw new Error(`the capture opened ${names(found)} instead of ${names(opened)}`);
}

export function noteMessage(world: World, id: string, session: string, messageId: string): void {
  if (world.timeline.checkpoints.some((checkpoint) => checkpoint.id === id)) return;
  const known = world.timeline.checkpoints.some(
    (checkpoint) => checkpoint.session === session && checkpoint.messageId === messageId,
  );
  if (known) throw new Error(`${messageId} of ${session} got a second checkpoint`);
  world.note(`  (checkpoint ${world.name(id)})`);
  world.timeline.addCheckpoint({ id, session, messageId });
}

export function messageOf(world: World, session: string): string {
  return `m${world.messages.get(session) ?? 0}`;
}

export function sessionOf(sessionId: string): { sessionId: string; parentSessionId?: string } {
  return sessionId === 's1-helper' ? { sessionId, parentSessionId: 's1' } : { sessionId };
}
