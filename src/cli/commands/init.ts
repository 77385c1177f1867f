import { AGENT_NAMES, type AgentName } from '../../agents/agent-adapter.ts';
import { ALL_SETTINGS, SCOPES, type Scope } from '../../agents/agent-settings.ts';
import {
  applyInstall,
  applyRemoval,
  type InstallPlan,
  installedElsewhere,
  isUsed,
  planInstall,
  planRemoval,
  type Site,
} from '../../agents/installation.ts';
import { displayText, isSavepointError, type Savepoint, SavepointError } from '../../index.ts';
import { described, exact, listOf, nullable, oneOf, TEXT } from '../../model/check.ts';
import { COVERAGE, messageAndHint, plural, someOf } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import {
  AGENT_OPTIONS,
  carryOutEdits,
  EDITS,
  editsJson,
  exitOf,
  isOnPath,
  namedAgents,
  namedScope,
  type Outcome,
  ownProgram,
  siteOf,
} from '../agents/agent-files.ts';
import type { Call, Command } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';

const SHAPE = exact({
  ...EDITS.fields,
  project: TEXT,
  agents: described('The agents that were named or found.', listOf(oneOf(...AGENT_NAMES))),
  program: described('What the hooks run: a name to be found on PATH, or a path.', TEXT),
  baseline: described(
    "The first scan of the project: 'made' now, 'there' before, 'failed', or 'refused' where the folder cannot be a project; null where nothing was written.",
    nullable(oneOf('made', 'there', 'failed', 'refused')),
  ),
});

type Baseline = 'made' | 'there' | 'failed' | 'refused';

export const init: Command = {
  name: 'init',
  summary: 'set up agents, so that every prompt is a checkpoint',
  details:
    'Finds the agents on this machine, shows what it would add to the settings of each, and asks. From then\n' +
    'on each prompt is a checkpoint, and what the agent changes, by tools or in a shell, is on record.\n' +
    'Only hooks of Savepoint are added: comments, order, formatting and the hooks of others stay. A copy of\n' +
    'each file is kept beside the stores, and `savepoint uninstall` takes everything back. Without --scope\n' +
    'your own settings are used, and no file of the project is touched. Run again, it changes nothing.\n' +
    'It also makes the first scan of the project around the current folder.',
  options: AGENT_OPTIONS,
  examples: [
    ['savepoint init', 'all agents that are found'],
    ['savepoint init --dry-run', 'only show what it would write'],
    ['savepoint init --agent claude-code,codex --yes', 'these two, without a question'],
    ['savepoint init --agent claude-code --scope project', 'for everybody who has the project'],
  ],
  json: { init: SHAPE },
  run: async (call) => {
    const scope = namedScope(call) ?? 'user';
    const site = siteOf(call, scope);
    const agents = agentsFor(call, scope, site);
    refuseProgramOfProject(scope, site);
    const plan = planInstall(agents, scope, site);
    const carried = await carryOutEdits(call, {
      plan,
      question: `Write ${plural(plan.edits.length, 'file')}?`,
      apply: (edit) => applyInstall(edit, site.record),
    });
    const { outcome } = carried;
    const isSetUp = outcome === 'done' && agents.length > 0;
    const baseline = isSetUp ? await firstScan(call) : null;
    const { program, project } = site;
    printJson(call, SHAPE, { ...editsJson(carried), project, agents, program, baseline });
    if (agents.length === 0) return noAgents(call);
    if (outcome === 'done') tellDone(call, carried, scope, baseline);
    tellNotDone(call, outcome);
    if (isSetUp && !isOnPath(call.io.env.PATH, project)) warnOfProgram(call, scope, site);
    if (baseline === 'failed') return EXIT.failure;
    const code = exitOf(carried);
    return code === EXIT.nothingToDo && baseline === 'made' ? EXIT.done : code;
  },
};

function tellNotDone(call: Call, outcome: Outcome): void {
  if (outcome === 'not-asked') call.tell('Nothing was written: add --yes to say yes beforehand.');
  if (outcome === 'declined') call.tell('Nothing was written.');
}

/** The named ones, or all that are found and have a file in the scope. */
function agentsFor(call: Call, scope: Scope, site: Site): readonly AgentName[] {
  const named = namedAgents(call);
  if (scope !== 'user' && site.project === site.homeDirectory) {
    throw new UsageError('your home directory is not a project', 'leave out --scope');
  }
  const hasScope = (name: AgentName): boolean => {
    const { hooksFile, ownFiles } = ALL_SETTINGS[name];
    const own = ownFiles?.(scope, site, site.program) ?? [];
    return own.length > 0 || (hooksFile?.(scope, site) ?? null) !== null;
  };
  const without = named?.find((name) => !hasScope(name));
  if (without !== undefined) {
    const { title } = ALL_SETTINGS[without];
    throw new UsageError(`${title} has no settings of the scope ${scope}`, 'leave out --scope');
  }
  return named ?? AGENT_NAMES.filter((name) => hasScope(name) && isUsed(ALL_SETTINGS[name], site));
}

/** Whoever writes to the project could make the hooks of all projects run another program. */
function refuseProgramOfProject(scope: Scope, { project, program }: Site): void {
  const own = ownProgram();
  if (scope === 'project' || program === 'savepoint' || !own.startsWith(`${project}/`)) return;
  throw new SavepointError('argument-invalid', `this savepoint is part of the project (${own})`, {
    hint: 'hooks must not run a program that the agent can change; install it elsewhere, and put it on PATH with: npm link',
  });
}

function noAgents(call: Call): ExitCode {
  call.tell('No agent was found: none of their programs is on PATH, and none has a folder here.');
  call.hint('name one with: savepoint init --agent claude-code');
  return EXIT.nothingToDo;
}

function tellDone(
  call: Call,
  { edits, left }: InstallPlan,
  scope: Scope,
  baseline: Baseline | null,
): void {
  const isIn = (files: readonly { readonly agent: AgentName }[], name: AgentName): boolean =>
    files.some(({ agent }) => agent === name);
  const written = AGENT_NAMES.filter((name) => isIn(edits, name) && !isIn(left, name));
  const titles = written.map((name) => ALL_SETTINGS[name].title).join(', ');
  if (written.length > 0) call.tell(`Set up: ${titles}. Restart the agents that are running.`);
  else if (left.length === 0) {
    const isIdle = baseline !== 'made' && baseline !== 'failed';
    call.tell(`${isIdle ? 'Nothing to do: all' : 'All'} hooks are there already.`);
  }
  for (const name of written) {
    const toTrust = ALL_SETTINGS[name].toTrust?.[scope];
    if (toTrust !== undefined) call.tell(`${toTrust}.`);
  }
  call.hint('see whether the hooks run with: savepoint doctor');
}

function warnOfProgram(call: Call, scope: Scope, { program }: Site): void {
  const text =
    scope === 'project'
      ? 'the hooks run "savepoint", which is not on PATH here'
      : `the hooks run ${displayText(program)}, because savepoint is not on PATH; if it is moved, run savepoint init again`;
  call.io.err(`savepoint: ${text}\nhint: put it on PATH with npm link, in its own folder\n`);
}

/** Makes the baseline here, so that no hook has to; a folder that cannot be a project has none. */
async function firstScan(call: Call): Promise<Baseline> {
  try {
    return await withTimeline(call, (savepoint) => scanOnce(call, savepoint), { create: true });
  } catch (error) {
    if (!isSavepointError(error, 'project-refused')) throw error;
    call.remark(`No project was scanned: ${displayText(messageAndHint(error))}.`);
    return 'refused';
  }
}

async function scanOnce(call: Call, savepoint: Savepoint): Promise<Baseline> {
  if (await savepoint.isScanned()) return 'there';
  const { coverage, notice } = await savepoint.scan();
  if (coverage !== 'scanned') {
    const why = displayText(notice ?? COVERAGE[coverage]);
    const effect = 'what agents do in a shell here cannot be undone';
    call.io.err(`savepoint: the project was not scanned: ${why}\nhint: until it is, ${effect}\n`);
    return 'failed';
  }
  call.remark(`Scanned ${displayText(savepoint.root)}: what is there now is on record.`);
  return 'made';
}

const SHOWN_FILES = 5;

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'take the hooks out of the settings of agents',
  details:
    'Removes exactly what `savepoint init` added, also where the files were edited since: your own settings,\n' +
    'and those of the project around the current folder. Without --scope it looks in all of them. What is\n' +
    'on record stays, and so does every other command; the stores are in the folder that\n' +
    '`savepoint config --json` names (storeHome).',
  options: AGENT_OPTIONS,
  examples: [
    ['savepoint uninstall', 'from all agents'],
    ['savepoint uninstall --agent gemini --dry-run', 'only show what it would write'],
  ],
  json: { uninstall: EDITS },
  run: async (call) => {
    const scope = namedScope(call);
    const site = siteOf(call, 'user');
    const scopes = scope === undefined ? SCOPES : [scope];
    const plan = planRemoval(namedAgents(call) ?? AGENT_NAMES, scopes, site);
    const copies: string[] = [];
    const carried = await carryOutEdits(call, {
      plan,
      question: `Write or remove ${plural(plan.edits.length, 'file')}?`,
      apply: (edit) => {
        const copy = applyRemoval(edit, site.record);
        if (copy !== null) copies.push(copy);
      },
    });
    const { outcome, edits, left } = carried;
    printJson(call, EDITS, editsJson(carried));
    tellNotDone(call, outcome);
    if (outcome === 'done') {
      if (edits.length > 0) call.tell('Done: the hooks are out.');
      else if (left.length === 0) call.tell('Nothing to do: no hook was found.');
      for (const copy of copies) {
        call.remark(`What was there before savepoint init is kept in ${displayText(copy)}`);
      }
      const elsewhere = installedElsewhere(site).map(displayText);
      if (scope === undefined && elsewhere.length > 0) {
        const files = someOf(elsewhere, SHOWN_FILES);
        call.tell(`Hooks stay in other projects: ${files}. Run savepoint uninstall there, too.`);
      }
    }
    return exitOf(carried);
  },
};
