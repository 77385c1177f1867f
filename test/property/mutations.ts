import type { Command, CommandKind } from './commands.ts';
import { isFile, type Place, type TextEntry } from './model/entry.ts';
import { familyOf } from './model/event.ts';
import type { History } from './model/history.ts';
import {
  foldersAbove,
  isDirectlyBelow,
  isHidden,
  LATE,
  LINK_TARGETS,
  linkText,
  NAMES,
} from './model/names.ts';
import type { Mutation, Step } from './mutation.ts';
import { lineBy, SLOTS, slotFor } from './written-lines.ts';

export interface Scene {
  readonly history: History;
  /** A number that was never given before. */
  fresh(): number;
  /** The session whose command is running: what no tool captures is put down to it. */
  readonly running: string | null;
}

type Maker = (scene: Scene, command: Command) => Mutation | null;

/** What can be done to files. Null where the tree offers nothing to do it to. */
export const MUTATIONS: Partial<Record<CommandKind, Maker>> = {
  edit: (scene, command) => {
    const path = choose(texts(scene.history), command.path);
    return path === null ? null : editOf(scene, command, path, [path]);
  },

  'edit-through-link': (scene, command) => {
    const { history } = scene;
    const links = history.inSight().filter((path) => history.at(path)?.kind === 'link');
    const link = choose(links, command.path);
    const leads = link === null ? undefined : history.resolve(link)?.at(-1);
    if (link === null || leads === undefined || !texts(history).includes(leads)) return null;
    return editOf(scene, command, leads, [link]);
  },

  write: (scene, command) => {
    const path = choose(openNames(scene.history), command.path);
    if (path === null) return null;
    const steps = [
      ...missingFolders(scene.history, path),
      { put: path, place: newFile(scene, command, path) },
    ];
    return { says: `writes ${show(path)} anew`, names: [path], steps };
  },

  /** The name that rules hide now and then. */
  'write-late': (scene, command) => {
    if (!openNames(scene.history).includes(LATE)) return null;
    const steps = [{ put: LATE, place: newFile(scene, command, LATE) }];
    return { says: `writes ${show(LATE)} anew`, names: [LATE], steps };
  },

  delete: ({ history }, command) => {
    const path = choose(history.inSight(), command.path);
    if (path === null) return null;
    return { says: `deletes ${show(path)}`, names: [path], steps: removal(history, path) };
  },

  rename: ({ history }, command) => {
    const from = choose(
      history.inSight().filter((path) => isMovable(history, path)),
      command.path,
    );
    if (from === null) return null;
    const folder = history.at(from)?.kind === 'folder';
    const free = openNames(history).filter(
      (name) => !`${name}/`.startsWith(`${from}/`) && !(folder && history.at(name)),
    );
    const to = choose(free, command.other);
    if (to === null) return null;
    const steps = [...missingFolders(history, to), { move: from, to }];
    return { says: `renames ${show(from)} to ${show(to)}`, names: [from, to], steps };
  },

  chmod: ({ history }, command) => {
    const paths = history.inSight().filter((path) => history.at(path)?.kind !== 'link');
    const path = choose(paths, command.path);
    const now = path === null ? null : history.at(path);
    if (path === null || now === null || now.kind === 'link') return null;
    const modes = (now.kind === 'folder' ? FOLDER_MODES : FILE_MODES).filter(
      (mode) => mode !== now.mode,
    );
    const mode = choose(modes, command.pick) ?? now.mode;
    const says = `sets the mode of ${show(path)} to ${mode.toString(8)}`;
    return { says, names: [path], steps: [{ put: path, place: { ...now, mode } }] };
  },

  link: ({ history }, command) => {
    const path = choose(openNames(history), command.path);
    const target = choose(
      LINK_TARGETS.filter((name) => name !== path),
      command.other,
    );
    if (path === null || target === null) return null;
    const place: Place = { kind: 'link', target: linkText(path, target) };
    const steps = [...missingFolders(history, path), { put: path, place }];
    return { says: `makes ${show(path)} a link to ${target}`, names: [path], steps };
  },

  folder: ({ history }, command) => {
    const path = choose(
      openNames(history).filter((name) => history.at(name) === null),
      command.path,
    );
    if (path === null) return null;
    const steps = [...missingFolders(history, path), { put: path, place: FOLDER }];
    return { says: `makes the folder ${show(path)}`, names: [path], steps };
  },

  swap: (scene, command) => {
    const { history } = scene;
    const parents = NAMES.filter((name) => NAMES.some((other) => isDirectlyBelow(other, name)));
    const path = choose(
      parents.filter((name) => stands(history, name)),
      command.path,
    );
    if (path === null) return null;
    const toFolder = history.at(path)?.kind !== 'folder';
    return toFolder ? folderFor(scene, command, path) : fileFor(scene, command, path);
  },

  look: ({ history }, command) => {
    const path = choose(
      NAMES.filter((name) => stands(history, name) && !isHidden(name, history.hidden)),
      command.path,
    );
    return path === null ? null : { says: `looks at ${show(path)}`, names: [path], steps: [] };
  },
};

const FILE_MODES = [0o644, 0o755, 0o600, 0o444, 0o664];
const FOLDER_MODES = [0o755, 0o700, 0o750, 0o775];
const FOLDER: Place = { kind: 'folder', mode: 0o755 };

export function choose<Item>(items: readonly Item[], number: number): Item | null {
  return items.length === 0 ? null : (items[number % items.length] ?? null);
}

export function show(path: string): string {
  return JSON.stringify(path);
}

export function editOf(
  scene: Scene,
  command: Command,
  path: string,
  names: string[],
): Mutation | null {
  const text = scene.history.at(path);
  if (text?.kind !== 'text' || text.slots.length === 0) return null;
  const slot = slotFor(command);
  const value = lineBy(scene, writerOf(scene, command, path), path, command.pick);
  const slots = text.slots.with(slot, value);
  const place: TextEntry = { ...text, slots };
  const says = `edits slot ${slot} of ${show(path)}${names.includes(path) ? '' : ' through a link'}`;
  return { says, names, steps: [{ put: path, place }] };
}

/** What a person writes while a capture or a command of an agent is open counts as the agent's. */
function writerOf({ history, running }: Scene, { who, inShell }: Command, path: string): string {
  if (who !== 'person' && !inShell) return familyOf(who);
  const tip = history.chain(path).at(-1);
  return familyOf((tip?.open ? tip.session : running) ?? who);
}

function newFile(scene: Scene, command: Command, path: string): Place {
  const { pick } = command;
  const now = scene.history.at(path);
  const mode = isFile(now) ? now.mode : pick % 7 === 0 ? 0o755 : 0o644;
  if (pick % 5 === 3) return { kind: 'binary', seed: scene.fresh(), mode };
  if (pick % 5 === 4) return { kind: 'text', text: scene.fresh(), slots: [], mode };
  const by = writerOf(scene, command, path);
  const slots = Array.from({ length: SLOTS }, (_, slot) => lineBy(scene, by, path, slot));
  return { kind: 'text', text: scene.fresh(), slots, mode };
}

/** A folder with something in it takes a file's place; sometimes only the folder is named. */
function folderFor(scene: Scene, command: Command, path: string): Mutation | null {
  const child = choose(
    NAMES.filter((name) => isDirectlyBelow(name, path)),
    command.other,
  );
  if (child === null) return null;
  const steps = [
    ...missingFolders(scene.history, path),
    ...removal(scene.history, path),
    { put: path, place: FOLDER },
    { put: child, place: newFile(scene, command, child) },
  ];
  // Through a link, the child's name would lead elsewhere.
  const isLink = scene.history.at(path)?.kind === 'link';
  const names = isLink || command.pick % 2 === 0 ? [path] : [path, child];
  return { says: `makes ${show(path)} a folder that holds ${show(child)}`, names, steps };
}

function fileFor(scene: Scene, command: Command, path: string): Mutation {
  const place = newFile(scene, command, path);
  const steps = [...removal(scene.history, path), { put: path, place }];
  return { says: `puts a file in place of the folder ${show(path)}`, names: [path], steps };
}

function removal(history: History, path: string): Step[] {
  if (history.at(path) === null) return [];
  const deepestFirst = [path, ...history.below(path)].sort().reverse();
  return deepestFirst.map((gone) => ({ put: gone, place: null }));
}

function missingFolders(history: History, path: string): Step[] {
  const missing = foldersAbove(path).filter((folder) => history.at(folder) === null);
  return missing.map((folder) => ({ put: folder, place: FOLDER }));
}

function texts(history: History): string[] {
  return history.inSight().filter((path) => {
    const entry = history.at(path);
    return entry?.kind === 'text' && entry.slots.length > 0;
  });
}

/** Whether nothing but folders is above a name, or room for them. */
function stands(history: History, name: string): boolean {
  return foldersAbove(name).every((folder) => (history.at(folder)?.kind ?? 'folder') === 'folder');
}

/** Names in scope that can be written to: no folder is there. */
function openNames(history: History): string[] {
  const names = NAMES.filter((name) => !isHidden(name, history.hidden));
  return names.filter((name) => stands(history, name) && history.at(name)?.kind !== 'folder');
}

/** Links are left where they are: elsewhere they would lead to another place. */
function isMovable(history: History, path: string): boolean {
  return [path, ...history.below(path)].every((moved) => history.at(moved)?.kind !== 'link');
}
