import { AGENT_NAMES, type AgentName } from '../../agents/agent-adapter.ts';
import { SCOPES, type Scope } from '../../agents/agent-settings.ts';
import { InstallRecord } from '../../agents/install-record.ts';
import {
  type FileEdit,
  type InstallPlan,
  type LeftFile,
  refusal,
  type Site,
} from '../../agents/installation.ts';
import { findProject, storeHome } from '../../config/find-project.ts';
import { permissionsOf, realPathOrNull } from '../../fs/entries.ts';
import { findProgram } from '../../fs/find-program.ts';
import { displayText, type PathDiff, type State, type TrackedPath } from '../../index.ts';
import {
  COUNT,
  described,
  exact,
  listOf,
  type ObjectKind,
  oneOf,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { diffText } from '../../terminal/diff-text.ts';
import { type FileDiff, fileDiff } from '../../terminal/file-diff.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural, shellWord } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, flag, meantHint, type Option, option, wordOption } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { asksFirst, confirmed } from '../options.ts';
import { inPackage } from '../package-place.ts';

/** Options of `init` and `uninstall`. */
export const AGENT_OPTIONS: Readonly<Record<string, Option>> = {
  agent: option(
    'AGENTS',
    `only these, separated by commas: ${AGENT_NAMES.join(', ')}`,
    AGENT_NAMES,
  ),
  scope: option(
    'SCOPE',
    'user: your own settings; project: files of the project, for everybody who has it; local: your own in this project',
    SCOPES,
  ),
  'dry-run': flag('show what would be written, and write nothing'),
  yes: flag('do not ask'),
};

export function namedScope(call: Call): Scope | undefined {
  return wordOption(call, 'scope', SCOPES);
}

/** The agents that were named; null where none was. */
export function namedAgents(call: Call): readonly AgentName[] | null {
  const given = call.values.get('agent');
  if (given === undefined) return null;
  return given.split(',').map((word) => {
    const known = AGENT_NAMES.find((name) => name === word.trim());
    if (known !== undefined) return known;
    const hint = meantHint(word.trim(), AGENT_NAMES, `known are ${AGENT_NAMES.join(', ')}`);
    throw new UsageError(`no agent is called "${word.trim()}"`, hint);
  });
}

/** Where agents are set up from here. */
export function siteOf(call: Call, scope: Scope): Site {
  const { io } = call;
  const { env, homeDirectory } = io;
  const found = findProject(call);
  const project = realPathOrNull(found) ?? found;
  const program = scope === 'project' ? SHARED_PROGRAM : programFor(env.PATH, project);
  const home = realPathOrNull(homeDirectory) ?? homeDirectory;
  return { env, homeDirectory: home, project, program, record: new InstallRecord(storeHome(io)) };
}

// Whoever else has the project has another path to it.
const SHARED_PROGRAM = 'savepoint';

/** The word that runs this command in a shell: its name where that can be found from everywhere, or its path. */
function programFor(path: string | undefined, project: string): string {
  return isOnPath(path, project) ? SHARED_PROGRAM : shellWord(ownProgram());
}

/** The script of this command, without links. */
export function ownProgram(): string {
  const script = inPackage('bin/savepoint.cjs');
  return realPathOrNull(script) ?? script;
}

/** Whether a shell finds `savepoint` outside of the project, and also when no script of npm has started it. */
export function isOnPath(path: string | undefined, project: string): boolean {
  return findProgram('savepoint', lastingPath(path), project) !== null;
}

/** PATH as agents have it, without what npm adds for the scripts that it starts. */
export function lastingPath(path: string | undefined): string {
  const folders = (path ?? '').split(':');
  return folders.filter((folder) => !folder.endsWith('node_modules/.bin')).join(':');
}

/** Whether files of agents were written, or why not. */
export type Outcome = 'done' | 'dry-run' | 'declined' | 'not-asked';

interface Work {
  readonly plan: InstallPlan;
  readonly question: string;
  readonly apply: (edit: FileEdit) => void;
}

interface Carried extends InstallPlan {
  readonly outcome: Outcome;
}

/** Shows what would be done to each file and does it, unless somebody has to say yes first. */
export async function carryOutEdits(call: Call, { plan, question, apply }: Work): Promise<Carried> {
  for (const line of planLines(call, plan)) call.say(line);
  sayLeft(call, plan.left);
  if (call.flags.has('dry-run')) return { ...plan, outcome: 'dry-run' };
  if (plan.edits.length === 0) return { ...plan, outcome: 'done' };
  if (!call.flags.has('yes')) {
    // Settings of other programs are not written unless a person has seen how.
    if (!asksFirst(call)) return { ...plan, outcome: 'not-asked' };
    if (!(await confirmed(call, question))) return { ...plan, outcome: 'declined' };
  }
  const failed = plan.edits.flatMap((edit) => {
    try {
      apply(edit);
      call.io.done = 'settings of agents were changed all the same';
      return [];
    } catch (error) {
      const { agent, scope, file } = edit;
      // One file that cannot be written does not keep the others from being set up.
      return [{ edit, left: { agent, scope, file, ...refusal(file, error) } }];
    }
  });
  sayLeft(
    call,
    failed.map(({ left }) => left),
  );
  const edits = plan.edits.filter((edit) => !failed.some((one) => one.edit === edit));
  return { outcome: 'done', edits, left: [...plan.left, ...failed.map(({ left }) => left)] };
}

/** Who says yes beforehand and wants to read little gets the names of the settings alone. */
function planLines(call: Call, { edits }: InstallPlan): string[] {
  const isBrief = call.flags.has('quiet') && call.flags.has('yes') && !call.flags.has('dry-run');
  if (!isBrief) return edits.flatMap((edit) => editText(edit, call.paint));
  const home = `${call.io.homeDirectory}/`;
  return edits
    .filter(({ isOwn }) => !isOwn)
    .flatMap((edit) => {
      const name = edit.file.startsWith(home) ? `~/${edit.file.slice(home.length)}` : edit.file;
      return summary(edit, name);
    });
}

/** The diff of somebody's settings; files that are wholly ours are only named. */
function editText(edit: FileEdit, paint: Paint): string[] {
  if (edit.isOwn) return summary(edit, edit.file);
  return [...linkText(edit), ...diffText(editDiff(edit), paint), ''];
}

function summary(edit: FileEdit, name: string): string[] {
  const { status, insertions, deletions } = editDiff(edit);
  const lines = plural(insertions + deletions, 'line');
  return [`${status} ${displayText(name)} (${lines})`, ...linkText(edit)];
}

/** A link is followed, so a person has to see which file is written. */
function linkText({ file, place }: FileEdit): string[] {
  return file === place ? [] : [`${displayText(file)} leads to ${displayText(place)}`];
}

function sayLeft(call: Call, left: readonly LeftFile[]): void {
  if (call.json) return;
  for (const { message, hint } of left) {
    const texts = [`savepoint: ${message}; it was left as it is`, `hint: ${hint}`];
    const lines = texts.flatMap((text) => wrapWords(displayText(text), call.columns, 2));
    call.io.err(`${lines.join('\n')}\n`);
  }
}

/** The exit code of a command that set up agents, or took that back. */
export function exitOf({ outcome, edits, left }: Carried): ExitCode {
  if (outcome === 'declined') return EXIT.interrupted;
  if (left.length > 0) return EXIT.failure;
  if (outcome === 'not-asked') return EXIT.nothingToDo;
  return outcome === 'done' && edits.length === 0 ? EXIT.nothingToDo : EXIT.done;
}

/** A file of an agent as a diff, with few lines around each change: settings may hold keys. */
function editDiff({ file, place, before, after }: FileEdit): FileDiff {
  const mode = permissionsOf(place) ?? 0o600;
  const state = (bytes: Buffer | null): State =>
    bytes === null
      ? { kind: 'absent' }
      : { kind: 'captured', type: 'file', mode, size: bytes.length, blob: null };
  const diff: PathDiff = {
    path: file.slice(1) as TrackedPath,
    before: state(before),
    after: state(after),
    beforeBytes: before,
    afterBytes: after,
  };
  return fileDiff(diff, 1);
}

const OF_FILE = { agent: oneOf(...AGENT_NAMES), scope: oneOf(...SCOPES), file: TEXT };

const SHAPE = exact({
  outcome: described(
    "'done', also where there was nothing to do. 'dry-run', 'declined' or 'not-asked': nothing was written; to write without a question, add --yes.",
    oneOf('done', 'dry-run', 'declined', 'not-asked'),
  ),
  files: described(
    'What was done to each file, or would be.',
    listOf(
      exact({
        ...OF_FILE,
        status: oneOf('created', 'modified', 'deleted'),
        insertions: described('Lines that are added.', COUNT),
        deletions: described('Lines that are removed.', COUNT),
      }),
    ),
  ),
  left: described(
    'Files that were left as they are, and why.',
    listOf(exact({ ...OF_FILE, message: TEXT, hint: described('What to do about it.', TEXT) })),
  ),
});

/** For the published schemas. */
export const EDITS: ObjectKind<object> = SHAPE;

export function editsJson({ outcome, edits, left }: Carried): object {
  const files = edits.map((edit) => {
    const { insertions, deletions } = editDiff(edit);
    const { agent, scope, file, before, after } = edit;
    const changed = after === null ? ('deleted' as const) : ('modified' as const);
    const status = before === null ? ('created' as const) : changed;
    return { agent, scope, file, status, insertions, deletions };
  });
  return { outcome, files, left } satisfies TypeOf<typeof SHAPE>;
}
