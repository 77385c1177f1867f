import { dirname } from 'node:path';
import {
  exists,
  isThere,
  kindOf,
  makeFolders,
  removeFolder,
  removeIfThere,
} from '../fs/entries.ts';
import { findProgram } from '../fs/find-program.ts';
import { readFile, readFileOrNull } from '../fs/read-file.ts';
import { isStill, placeOfSettings, rewriteFile } from '../fs/rewrite-file.ts';
import { isSavepointError, SavepointError } from '../index.ts';
import { AGENT_NAMES, type AgentName } from './agent-adapter.ts';
import {
  type AgentSettings,
  ALL_SETTINGS,
  type OwnFile,
  type Places,
  type RegisteredHook,
  SCOPES,
  type Scope,
} from './agent-settings.ts';
import { type OurHook, ourCommandIn, ourHooks, withHooks, withoutHooks } from './hook-settings.ts';
import { hashOf, type InstalledFile, type InstallRecord } from './install-record.ts';
import { type JsonPath, readSettings, UnusableSettings, valueAt } from './settings-text.ts';

/** Everything that decides what is written where. */
export interface Site extends Places {
  /** The word of a shell that runs `savepoint`: its name, or the path of the script. */
  readonly program: string;
  readonly record: InstallRecord;
}

interface NamedFile {
  readonly agent: AgentName;
  readonly scope: Scope;
  readonly file: string;
}

/** A file before and after; null for no file. */
export interface FileEdit extends NamedFile {
  /** The file behind it where it is a link. */
  readonly place: string;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
  /** Of a new file; undefined for its owner alone. */
  readonly mode: number | undefined;
  /** Whether the whole file is ours. */
  readonly isOwn: boolean;
  /** Whether hooks of ours were in it before. */
  readonly hadOurs: boolean;
  /** The containers that are made in it. */
  readonly made: readonly JsonPath[];
}

/** A file that is left as it is although something was to be done to it. */
export interface LeftFile extends NamedFile {
  readonly message: string;
  readonly hint: string;
}

export interface InstallPlan {
  readonly edits: FileEdit[];
  readonly left: LeftFile[];
}

/** An agent that somebody has used here, or whose program is on PATH outside of the project. Runs nothing. */
export function isUsed(agent: AgentSettings, places: Places): boolean {
  return (
    agent.homes(places).some(exists) ||
    findProgram(agent.program, places.env.PATH, places.project) !== null
  );
}

/** What has to be written so that the hooks of these agents are there. Writes nothing. */
export function planInstall(agents: readonly AgentName[], scope: Scope, site: Site): InstallPlan {
  return plannedFor(agents, [scope], (agent, plan) => {
    const elsewhere = SCOPES.filter((other) => other !== scope && isInstalled(agent, other, site));
    const files = filesOf(agent, scope, site);
    const [first = agent.name] = files.map(({ file }) => file);
    const about = { agent: agent.name, scope, file: first };
    const instead = agent.readsInstead?.(scope, site);
    if (files.length === 0) plan.left.push({ ...about, ...sameFiles(agent, scope) });
    else if (elsewhere.length > 0) plan.left.push({ ...about, ...doubled(agent, elsewhere) });
    else if (instead !== undefined && exists(instead)) {
      plan.left.push({ ...about, ...readsAnother(agent, instead) });
    } else for (const file of files) attempt(plan, file, site, () => installed(file, site));
  });
}

/** What has to be written so that nothing of ours is left in these scopes. Writes nothing. */
export function planRemoval(
  agents: readonly AgentName[],
  scopes: readonly Scope[],
  site: Site,
): InstallPlan {
  const plan = plannedFor(agents, scopes, (agent, made, scope) => {
    for (const file of filesOf(agent, scope, site)) {
      attempt(made, file, site, () => removed(file, site));
      made.left.push(...wrappedIn(file));
    }
  });
  // A folder goes with the first file that was written to it, and must be empty by then.
  return { ...plan, edits: plan.edits.toReversed() };
}

/** Writes what a plan says about one file. Throws, and leaves the file, where somebody changed it since. */
export function applyInstall(edit: FileEdit, record: InstallRecord): void {
  const { agent, scope, place, before, after, mode } = edit;
  if (after === null) throw new Error('an installation removes no file');
  const known = record.get(place);
  const folders = foldersToMake(place);
  const way = wayBack(edit, record);
  try {
    if (scope !== 'user') makeFolders(dirname(place));
    rewriteFile(place, after, before, mode);
  } catch (error) {
    if (way.backup !== known?.backup) record.discard(way.backup);
    throw error;
  }
  record.set(place, {
    agent,
    scope,
    wrote: hashOf(after),
    ...way,
    made: [...(known?.made ?? []), ...edit.made],
    folders: [...(known?.folders ?? []), ...folders],
  });
}

/** Keeps a copy of what is there, unless it is what we wrote ourselves: then the older copy counts. */
function wayBack(
  { place, before, hadOurs }: FileEdit,
  record: InstallRecord,
): Pick<InstalledFile, 'backup' | 'goesBackTo'> {
  const known = record.get(place);
  if (before === null) return { backup: null, goesBackTo: 'nothing' };
  if (known !== null && hashOf(before) === known.wrote) {
    return { backup: known.backup, goesBackTo: known.goesBackTo };
  }
  return { backup: record.keep(place, before), goesBackTo: hadOurs ? 'edited' : 'copy' };
}

/**
 * As `applyInstall`, for a removal. Folders that were made for the file go with it once they are empty. The copy
 * of what was there before goes only where the file is that again; otherwise its path is returned.
 */
export function applyRemoval(
  { place, before, after }: FileEdit,
  record: InstallRecord,
): string | null {
  if (before === null) throw new Error('a removal finds a file');
  if (after !== null) rewriteFile(place, after, before);
  else if (isStill(place, before)) removeIfThere(place);
  else throw new SavepointError('config-invalid', `${place} was changed just now`, { path: place });
  const folders = record.get(place)?.folders ?? [];
  const copy = record.forget(place, after);
  if (after !== null) return copy;
  for (const folder of folders.toReversed()) {
    if (isThere(folder) && !removeFolder(folder)) break;
  }
  return copy;
}

/** Files of other projects in which our hooks are registered, as far as this user has done it. */
export function installedElsewhere({ record, project }: Site): string[] {
  const elsewhere = record
    .all()
    .filter(([place, { scope }]) => scope !== 'user' && !place.startsWith(`${project}/`));
  return elsewhere.flatMap(([place, { agent }]) => {
    const bytes = readFileOrNull(place, { maxBytes: MOST_BYTES });
    return bytes !== null && ourCommandIn(String(bytes), agent) !== null ? [place] : [];
  });
}

/** The hooks of ours that are registered for an agent, and the files that cannot be read. */
interface Registered {
  readonly hooks: readonly RegisteredHook[];
  readonly unusable: readonly LeftFile[];
  /** Files with a setting by which the agent runs no hook at all. */
  readonly switchedOffIn: readonly string[];
}

export function registeredFor(agent: AgentSettings, site: Site): Registered {
  const plan: InstallPlan = { edits: [], left: [] };
  const hooks: RegisteredHook[] = [];
  const switchedOffIn: string[] = [];
  for (const at of SCOPES.flatMap((scope) => filesOf(agent, scope, site))) {
    attempt(plan, at, site, () => {
      const bytes = bytesOf(at);
      const found = bytes === null ? [] : hooksIn(at, bytes);
      hooks.push(...found.map((hook) => ({ ...hook, scope: at.scope, file: at.file })));
      if (bytes !== null && isSwitchedOff(at, bytes)) switchedOffIn.push(at.file);
      return null;
    });
  }
  return { hooks, unusable: plan.left, switchedOffIn };
}

function isSwitchedOff({ agent, own }: AgentFile, bytes: Buffer): boolean {
  const root = own === null ? readSettings(textOf(bytes)) : null;
  if (root === null) return false;
  return (agent.switchedOffBy ?? []).some(
    ({ path, value }) => valueAt(root, path)?.value === value,
  );
}

/** A file of ours counts as one hook for all events. */
function hooksIn({ agent, own }: AgentFile, bytes: Buffer): OurHook[] {
  if (own === null) return ourHooks(textOf(bytes), agent.name);
  const command = ourCommandIn(String(bytes), agent.name);
  return command === null ? [] : [{ event: '*', command, isWrapped: false }];
}

function plannedFor(
  agents: readonly AgentName[],
  scopes: readonly Scope[],
  add: (agent: AgentSettings, plan: InstallPlan, scope: Scope) => void,
): InstallPlan {
  const plan: InstallPlan = { edits: [], left: [] };
  const wanted = AGENT_NAMES.filter((name) => agents.includes(name));
  for (const name of wanted) for (const scope of scopes) add(ALL_SETTINGS[name], plan, scope);
  return plan;
}

/** A file in which an agent is set up: settings with hooks, or a file of ours. */
interface AgentFile {
  readonly agent: AgentSettings;
  readonly scope: Scope;
  readonly file: string;
  /** Null for settings. */
  readonly own: OwnFile | null;
}

/** Without those that are files of a scope before: whoever keeps dotfiles in a project has links to them. */
function filesOf(agent: AgentSettings, scope: Scope, site: Site): AgentFile[] {
  // In the home directory the files of the project would be those of the user.
  if (scope !== 'user' && site.project === site.homeDirectory) return [];
  const before = SCOPES.slice(0, SCOPES.indexOf(scope));
  const known = before.flatMap((other) => filesIn(agent, other, site).map(placeOrName));
  return filesIn(agent, scope, site).filter((file) => !known.includes(placeOrName(file)));
}

function placeOrName({ file }: AgentFile): string {
  try {
    return placeOfSettings(file);
  } catch {
    return file;
  }
}

function filesIn(agent: AgentSettings, scope: Scope, site: Site): AgentFile[] {
  const hooksFile = agent.hooksFile?.(scope, site) ?? null;
  return [
    ...(hooksFile === null ? [] : [{ agent, scope, file: hooksFile, own: null }]),
    ...(agent.ownFiles?.(scope, site, site.program) ?? []).map((own) => {
      return { agent, scope, file: own.file, own };
    }),
  ];
}

function isInstalled(agent: AgentSettings, scope: Scope, site: Site): boolean {
  return filesOf(agent, scope, site).some((file) => hooksOrNone(file).length > 0);
}

/** A file that cannot be read counts as one without hooks. */
function hooksOrNone(file: AgentFile): OurHook[] {
  try {
    const bytes = bytesOf(file);
    return bytes === null ? [] : hooksIn(file, bytes);
  } catch {
    return [];
  }
}

/** Puts down what is to be done to a file, or why it has to be left alone. */
function attempt(
  plan: InstallPlan,
  at: AgentFile,
  { project }: Places,
  edit: () => FileEdit | null,
): void {
  try {
    const made = edit();
    if (made === null) return;
    if (at.scope !== 'user' && !made.place.startsWith(`${project}/`)) throw leadsOut(made);
    plan.edits.push(made);
  } catch (error) {
    plan.left.push({ ...nameOf(at), ...refusal(at.file, error) });
  }
}

function nameOf({ agent, scope, file }: AgentFile): NamedFile {
  return { agent: agent.name, scope, file };
}

type Refusal = Pick<LeftFile, 'message' | 'hint'>;

/** Says why a file was left alone, and what to do. Throws what is nothing about the file. */
export function refusal(file: string, error: unknown): Refusal {
  if (isSavepointError(error)) return { message: error.message, hint: error.hint ?? 'try again' };
  if (error instanceof UnusableSettings) {
    return { message: `${file} ${error.message}`, hint: 'mend it, then try again' };
  }
  const { code } = Object(error) as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const hint = 'look at who may read and write it and its folder';
  return { message: `${file} cannot be used (${code})`, hint };
}

/** Null where nothing is missing. */
function installed(at: AgentFile, site: Site): FileEdit | null {
  const { agent, scope, file, own } = at;
  const place = placeOf(at);
  const before = bytesOf(at);
  const mode = modeFor(scope, own);
  const edit = { ...nameOf(at), place, before, isOwn: own !== null, mode };
  if (own !== null) {
    const after = Buffer.from(own.content);
    if (before?.equals(after)) return null;
    if (before !== null && hashOf(before) !== site.record.get(place)?.wrote) throw notOurs(file);
    return { ...edit, after, hadOurs: before !== null, made: [] };
  }
  if (agent.hooks === undefined) return null;
  const text = before === null ? '' : textOf(before);
  const command = `${site.program} hook ${agent.name}`;
  const isOutdated = (present: string): boolean => !isRunnable(present, site);
  const { text: edited, made } = withHooks(text, agent.name, agent.hooks, command, isOutdated);
  if (edited === text) return null;
  const hadOurs = ourHooks(text, agent.name).some(({ isWrapped }) => !isWrapped);
  return { ...edit, after: bytesFor(before, edited), hadOurs, made };
}

/** Null where nothing of ours is there. */
function removed(at: AgentFile, site: Site): FileEdit | null {
  const { agent, file, own } = at;
  const before = bytesOf(at);
  if (before === null) return null;
  const place = placeOf(at);
  const known = site.record.get(place);
  const asWritten = hashOf(before) === known?.wrote ? known : null;
  const found = { ...nameOf(at), place, before, isOwn: own !== null };
  const edit = { ...found, mode: undefined, hadOurs: true, made: [] };
  if (own !== null) {
    if (asWritten !== null || before.equals(Buffer.from(own.content)))
      return { ...edit, after: null };
    if (known === null && ourCommandIn(String(before), agent.name) === null) return null;
    throw notOurs(file);
  }
  if (asWritten?.goesBackTo === 'nothing') return { ...edit, after: null };
  const copy = asWritten?.goesBackTo === 'copy' ? site.record.backupOf(asWritten) : null;
  if (copy !== null) return { ...edit, after: copy };
  const text = textOf(before);
  const edited = withoutHooks(text, agent.name, known?.made ?? null);
  return edited === text ? null : { ...edit, after: bytesFor(before, edited) };
}

/** The hooks in somebody's settings that run ours inside a command of their own. They stay. */
function wrappedIn(at: AgentFile): LeftFile[] {
  return hooksOrNone(at)
    .filter(({ isWrapped }) => at.own === null && isWrapped)
    .map(({ event, command }) => ({
      ...nameOf(at),
      message: `the hook of ${event} in ${at.file} runs Savepoint as part of another command (${command})`,
      hint: 'take "savepoint hook" out of that command yourself',
    }));
}

/** Settings may be a link to a file elsewhere; a file of ours that is a link is not as we wrote it. */
function placeOf({ file, own }: AgentFile): string {
  if (own !== null && kindOf(file) === 'symlink') throw notOurs(file);
  return placeOfSettings(file);
}

/** Others must be able to read what is in a project, and the agent must be able to run a program. */
function modeFor(scope: Scope, own: OwnFile | null): number | undefined {
  if (own?.isProgram) return scope === 'user' ? 0o700 : 0o755;
  return scope === 'project' ? 0o644 : undefined;
}

/** Whether the program of a registered command can still be found. */
export function isRunnable(command: string, { env, project }: Places): boolean {
  const [, single, double, plain] =
    /^(?:'((?:[^']|'\\'')*)'|"([^"]*)"|(\S+)) hook /.exec(command) ?? [];
  const program = single?.replaceAll("'\\''", "'") ?? double ?? plain ?? '';
  if (program.startsWith('/')) return exists(program);
  return findProgram(program, env.PATH, project) !== null;
}

const MOST_BYTES = 16 * 1024 * 1024;

function bytesOf({ file }: AgentFile): Buffer | null {
  const read = readFile(file, { followLink: true, maxBytes: MOST_BYTES });
  if (read.bytes !== null) return read.bytes;
  if (read.why === 'missing') return null;
  const why = read.why === 'too-large' ? 'is too large' : `cannot be read (${read.why})`;
  throw new UnusableSettings(why);
}

const BOM = '\ufeff';

/** Without its byte order mark. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnusableSettings('is not UTF-8');
  }
}

/** With the byte order mark that the file had before. */
function bytesFor(before: Buffer | null, text: string): Buffer {
  const hadMark = before?.subarray(0, BOM_BYTES.length).equals(BOM_BYTES) ?? false;
  return Buffer.from(hadMark ? BOM + text : text);
}

const BOM_BYTES = Buffer.from(BOM);

/** The folders above a file that are not there yet, outermost first. */
function foldersToMake(file: string): string[] {
  const folder = dirname(file);
  return isThere(folder) ? [] : [...foldersToMake(folder), folder];
}

function notOurs(file: string): SavepointError {
  return new SavepointError('config-invalid', `${file} is not as Savepoint wrote it`, {
    path: file,
    hint: 'if you do not need it, move it away and try again',
  });
}

/** Whoever can write to the project must not choose which other file is written. */
function leadsOut({ file, place }: FileEdit): SavepointError {
  return new SavepointError('config-invalid', `${file} leads out of the project, to ${place}`, {
    path: file,
    hint: 'take away the link that leads there, or leave out --scope',
  });
}

function sameFiles({ title }: AgentSettings, scope: Scope): Refusal {
  return {
    message: `${title} has no files of the scope ${scope} here: they are links to those of another scope, or the other way round`,
    hint: 'leave out --scope',
  };
}

function doubled({ title, name }: AgentSettings, scopes: readonly Scope[]): Refusal {
  const where = scopes.join(' and ');
  return {
    message: `${title} has the hooks already, in the scope ${where}; with both, every event would come twice`,
    hint: `take those out first with: savepoint uninstall --agent ${name} --scope ${scopes[0]}`,
  };
}

function readsAnother({ title }: AgentSettings, file: string): Refusal {
  return {
    message: `${title} reads its hooks from ${file} alone where that file is there, and Savepoint does not write to it`,
    hint: 'move the hooks of that file to settings.json, and the file away',
  };
}
