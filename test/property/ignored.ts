import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './commands.ts';
import type { Entry } from './model/entry.ts';
import { LATE } from './model/names.ts';
import { choose, show } from './mutations.ts';
import type { World } from './world.ts';

/** Ignored for good, by a rule of the project: a file, and what is in a folder. */
const FOR_GOOD = ['secret', 'build/out'];

/** Puts rules into place, and files that they hide; LATE by one of the person's own. */
export function plantIgnored(world: World): void {
  mkdirSync(join(world.user, '.config', 'git'), { recursive: true });
  put(world, '.gitignore', { kind: 'text', text: 0, slots: ['/secret', 'build/'], mode: 0o644 });
  put(world, 'build', { kind: 'folder', mode: 0o755 });
  for (const path of FOR_GOOD) put(world, path, world.text(path));
  const late = world.text(LATE);
  world.disk.put(LATE, late);
  world.history.place(LATE, late);
  hide(world);
}

/** Somebody writes to what rules hide, or removes it. Nobody sees that, and no rewind may try to. */
export async function writeIgnored(world: World, command: Command): Promise<void> {
  const { hidden } = world.history;
  const path = choose(command.other % 4 === 0 ? FOR_GOOD : [...hidden], command.path);
  if (path === null) return;
  if (!hidden.has(path)) {
    world.say(command, `writes ${show(path)}, which is ignored`);
    put(world, path, world.text(path));
    return;
  }
  const goes = command.pick % 2 === 0 && world.history.at(path) !== null;
  world.say(command, `${goes ? 'removes' : 'writes'} ${show(path)}, which is ignored`);
  const place = goes ? null : world.text(path);
  world.disk.put(path, place);
  world.history.write(path, place, 'person');
  world.births.set(path, world.fresh());
}

/** The person's own rule goes: the file comes into sight, but nobody has made it. */
export async function stopIgnoring(world: World): Promise<void> {
  if (!world.history.hidden.has(LATE)) return;
  world.note(`${show(LATE)} is no longer ignored`);
  setOwnRules(world, '');
  world.history.hidden.delete(LATE);
}

/** It comes back. Whatever was done until then was seen, and both programs know of the rule. */
export async function startIgnoring(world: World): Promise<void> {
  const { history, scans } = world;
  const isAtWork = history.chain(LATE).at(-1)?.open ?? false;
  const isFolder = history.at(LATE)?.kind === 'folder';
  if (scans === null || history.hidden.has(LATE) || isAtWork || isFolder) return;
  // A rule that comes while a command runs hides nothing that was in sight before.
  if (scans.windows.length > 0) return;
  await world.scanByAll();
  world.note(`${show(LATE)} is ignored from here on`);
  hide(world);
  await world.scanByAll();
}

function hide(world: World): void {
  setOwnRules(world, `/${LATE}\n`);
  world.history.hidden.add(LATE);
}

function put(world: World, path: string, entry: Entry): void {
  world.disk.put(path, entry);
  world.ignored.set(path, entry);
}

function setOwnRules(world: World, text: string): void {
  writeFileSync(join(world.user, '.config', 'git', 'ignore'), text);
}
