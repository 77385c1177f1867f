import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { messageOf, mutate, noteMessage, sessionOf } from './agents.ts';
import type { Actor, Command, CommandKind } from './commands.ts';
import { expectSame } from './laws.ts';
import type { OpenWindow, Scans } from './model/scans.ts';
import { choose } from './mutations.ts';
import { expectRefusal } from './rewinds.ts';
import type { World } from './world.ts';

/** A command of a session from its beginning to its end. */
export async function shell(world: World, command: Command): Promise<void> {
  const window = await begin(world, runnerOf(command));
  await work(world, command);
  await end(world, window);
}

/** As `shell`, for a command that writes the name that rules hide now and then, and nothing else. */
export async function shellLate(world: World, command: Command): Promise<void> {
  const who = runnerOf(command);
  const window = await begin(world, who);
  await mutate(world, { ...command, who, kind: 'write-late', inShell: true });
  await end(world, window);
}

/** A command begins, does something, and goes on. */
export async function openWindow(world: World, command: Command): Promise<void> {
  await begin(world, runnerOf(command));
  await work(world, command);
}

/** A command that was going on ends. Some have ended for the engine before. */
export async function closeWindow(world: World, command: Command): Promise<void> {
  const window = choose(world.started, command.pick);
  if (window === null || world.scans === null) return;
  await work(world, { ...command, who: window.session as Actor });
  await end(world, window);
}

export async function scan(world: World): Promise<void> {
  if (world.scans === null) return;
  world.note('a scan');
  expectFound(world, await world.savepoint.scan());
}

/** The index of the scans goes, or is broken, and with half of them the programs that know it. */
export async function loseIndex(world: World, command: Command): Promise<void> {
  const { scans, indexFile } = world;
  if (scans === null) return;
  world.note('the index of the scans is lost');
  if (indexFile !== null && scans.loseFile())
    (command.pick % 2 === 0 ? removeFile : damageFile)(indexFile);
  if (command.path % 2 === 0) await world.reopen();
}

const DOINGS: readonly CommandKind[] = [
  'edit',
  'edit',
  'write',
  'write',
  'delete',
  'rename',
  'chmod',
  'link',
  'folder',
  'swap',
];

/** Between one and five things, done to files as programs do; now and then a tool comes between. */
async function work(world: World, command: Command): Promise<void> {
  for (let step = 0; step <= command.pick % 5; step += 1) {
    const kind = choose(DOINGS, mixed(command.pick, step)) ?? 'edit';
    const numbers = {
      path: mixed(command.path, step),
      other: mixed(command.other, step),
      pick: mixed(command.pick, step + 7),
    };
    const byTool = mixed(command.other, step + 3) % 8 === 0;
    const doing: Command = { ...command, ...numbers, kind, who: runnerOf(command) };
    await mutate(world, byTool ? doing : { ...doing, inShell: true });
  }
}

async function begin(world: World, session: Actor): Promise<OpenWindow> {
  const scans = await world.beginScans();
  world.note(`${session} runs a command`);
  const messageId = messageOf(world, session);
  const opened = await world.savepoint.openWindow({ ...sessionOf(session), messageId });
  const { id, checkpointId: checkpoint } = opened;
  world.scanned();
  noteMessage(world, checkpoint, session, messageId);
  const window = { id, session, checkpoint, began: world.fresh(), certain: [] };
  scans.windows.push(window);
  world.started.push(window);
  return window;
}

async function end(world: World, window: OpenWindow): Promise<void> {
  const { id, session } = window;
  world.started.splice(world.started.indexOf(window), 1);
  world.note(`the command of ${session} ends`);
  if (isOpen(world.scans, id)) {
    expectFound(world, await world.savepoint.closeWindow(id));
    world.scans?.close(id);
    return;
  }
  await expectRefusal(world, 'argument-invalid', () => world.savepoint.closeWindow(id));
}

interface Report {
  readonly changes: readonly {
    readonly path: string;
    readonly sessionId: string | null;
    readonly attribution: string;
  }[];
}

/** The scan has put on record what the model says, and whose doing it is. */
function expectFound(world: World, { changes }: Report): void {
  const isFirst = !world.scans?.hasBaseline;
  const expected = world.scanned();
  if (isFirst) return;
  expectSame(
    'what the scan found',
    changes.map(({ path, sessionId, attribution }) => [path, sessionId, attribution === 'shared']),
    expected.map(({ path, session, shared }) => [path, session, shared]),
  );
}

function isOpen(scans: Scans | null, id: string): boolean {
  return scans?.windows.some((window) => window.id === id) ?? false;
}

/** Only agents run commands under the eyes of the engine. */
function runnerOf({ who, pick }: Command): Actor {
  if (who !== 'person') return who;
  return pick % 2 === 0 ? 's1' : 's2';
}

/** Another number of the same kind, for the steps of one command. */
function mixed(number: number, step: number): number {
  return ((number + 1) * (step * 2 + 1) * 97 + step * 31) % 256;
}

function removeFile(file: string): void {
  rmSync(file, { force: true });
}

function damageFile(file: string): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0x55, bytes.length >> 1);
  writeFileSync(file, bytes);
}
