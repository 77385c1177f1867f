import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './commands.ts';
import type { Entry } from './model/entry.ts';
import { choose, show } from './mutations.ts';
import type { World } from './world.ts';

/** Ignored for good, by a rule of the project: a file, and what is in a folder. */
const FOR_GOOD = ['secret', 'build/out'];
/** Ignored at first, by a rule of the person's own. */
const AT_FIRST = 'late';

/** Puts rules into place, and files that they hide. */
export function plantIgnored(world: World): void {
  mkdirSync(join(world.user, '.config', 'git'), { recursive: true });
  setOwnRules(world, `/${AT_FIRST}\n`);
  put(world, '.gitignore', { kind: 'text', text: 0, slots: ['/secret', 'build/'], mode: 0o644 });
  put(world, 'build', { kind: 'folder', mode: 0o755 });
  for (const path of [...FOR_GOOD, AT_FIRST]) put(world, path, world.text(path));
}

/** Somebody writes to what rules hide. Nobody can take that back, and no rewind may try. */
export async function writeIgnored(world: World, command: Command): Promise<void> {
  const paths = [...FOR_GOOD, AT_FIRST].filter((path) => world.ignored.has(path));
  const path = choose(paths, command.path);
  if (path === null) return;
  world.say(command, `writes ${show(path)}, which is ignored`);
  put(world, path, world.text(path));
}

/** The person's own rule goes: the file comes into sight, but nobody has made it. */
export async function stopIgnoring(world: World): Promise<void> {
  const entry = world.ignored.get(AT_FIRST);
  if (entry === undefined) return;
  world.note(`${show(AT_FIRST)} is no longer ignored`);
  setOwnRules(world, '');
  world.ignored.delete(AT_FIRST);
  world.history.place(AT_FIRST, entry);
  world.scans?.unhide(AT_FIRST);
}

function put(world: World, path: string, entry: Entry): void {
  world.disk.put(path, entry);
  world.ignored.set(path, entry);
}

function setOwnRules(world: World, text: string): void {
  writeFileSync(join(world.user, '.config', 'git', 'ignore'), text);
}
