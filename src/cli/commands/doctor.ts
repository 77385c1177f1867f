import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { AGENT_NAMES, type AgentName } from '../../agents/agent-adapter.ts';
import { type AgentSettings, ALL_SETTINGS } from '../../agents/agent-settings.ts';
import { readHookLog } from '../../agents/hook-log.ts';
import { AGENT_FINDINGS, type AgentHealth, inspectAgent } from '../../agents/inspect.ts';
import type { Site } from '../../agents/installation.ts';
import { switchedOff } from '../../agents/switch.ts';
import { storeHome } from '../../config/find-project.ts';
import { realPathOrNull } from '../../fs/entries.ts';
import { type FoundProgram, findProgram } from '../../fs/find-program.ts';
import { displayText, isSavepointError, type Savepoint } from '../../index.ts';
import {
  BOOLEAN,
  COUNT,
  described,
  exact,
  listOf,
  nullable,
  oneOf,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { COVERAGE, plural, relativeTime, shellWord, sizeText } from '../../terminal/phrases.ts';
import { isOnPath, lastingPath, ownProgram, siteOf } from '../agents/agent-files.ts';
import type { Call, Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { TIME, timeOrNull } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { ownVersion } from '../package-place.ts';

const FINDING = exact({
  code: oneOf(
    ...AGENT_FINDINGS,
    'node-unusable',
    'events-lost',
    'store-unusable',
    'no-baseline',
    'gaps',
    'switched-off',
  ),
  message: TEXT,
  fix: described('The command that mends it, or what to do.', TEXT),
});

const AGENT = exact({
  name: oneOf(...AGENT_NAMES),
  used: described('Its program is on PATH, or it has a folder here.', BOOLEAN),
  version: described(
    'What its program says; null where it was not asked or gave no answer.',
    nullable(TEXT),
  ),
  hooks: described(
    'Where our hooks are registered; the event * stands for a file that is wholly ours.',
    listOf(exact({ scope: TEXT, file: TEXT, event: TEXT, command: TEXT })),
  ),
  seen: described('When a hook of it last ran.', nullable(TIME)),
  seenEvent: nullable(TEXT),
});

const SHAPE = exact({
  savepoint: exact({ version: TEXT, program: TEXT, onPath: BOOLEAN }),
  node: exact({ version: TEXT, program: TEXT }),
  store: exact({
    project: TEXT,
    home: TEXT,
    checkpoints: described('Null where nothing is recorded yet.', nullable(COUNT)),
    bytes: described('On disk.', nullable(COUNT)),
    recording: described('False after `savepoint off`.', BOOLEAN),
  }),
  agents: listOf(AGENT),
  findings: described('What is wrong; empty where everything is fine.', listOf(FINDING)),
});

type Report = TypeOf<typeof SHAPE>;
type Finding = TypeOf<typeof FINDING>;

export const doctor: Command = {
  name: 'doctor',
  summary: 'whether agents are recorded, and what to do where they are not',
  details:
    'Looks at this installation, at the store of the project, and at each agent: its version, whether its\n' +
    'hooks are there and when they last ran, and what keeps them from running, such as hooks that nobody\n' +
    'has trusted. Each finding comes with the command that mends it. It changes nothing.\n' +
    'Ends with 1 where something is wrong. To check every byte of the store: savepoint fsck.',
  examples: [
    ['savepoint doctor', ''],
    ['savepoint doctor --json', 'for a program'],
  ],
  json: { doctor: SHAPE },
  run: async (call) => {
    const report = await examine(call);
    printJson(call, SHAPE, report);
    if (!call.json) for (const line of reportText(call, report)) call.say(line);
    return report.findings.length === 0 ? EXIT.done : EXIT.failure;
  },
};

async function examine(call: Call): Promise<Report> {
  const { io } = call;
  const site = siteOf(call, 'user');
  const home = storeHome(io);
  const onPath = isOnPath(io.env.PATH, site.project);
  const recording = !switchedOff(home, site.project).all;
  const health = AGENT_NAMES.map((name) => inspectAgent(ALL_SETTINGS[name], site, home));
  const agents = await Promise.all(
    AGENT_NAMES.map((name, i) => agentReport(name, health[i] as AgentHealth, site)),
  );
  const store = await storeReport(call);
  const isSetUp = health.some(({ hooks }) => hooks.length > 0);
  // Somebody may want one agent recorded and not the others.
  const ofAgents = health.flatMap((one) => one.findings);
  const findings: Finding[] = [
    ...ofAgents.filter(({ code }) => code !== 'hooks-missing' || !isSetUp),
    ...(isSetUp ? await nodeFindings(site) : []),
    ...(isSetUp ? store.findings : store.findings.filter(({ code }) => code !== 'no-baseline')),
    ...lostEvents(home, site.project),
    ...(recording ? [] : [SWITCHED_OFF]),
  ];
  return {
    savepoint: { version: ownVersion(), program: ownProgram(), onPath },
    node: { version: process.version, program: process.execPath },
    store: { project: site.project, home, ...store.numbers, recording },
    agents,
    findings,
  };
}

const SWITCHED_OFF: Finding = {
  code: 'switched-off',
  message: 'hooks record nothing in this project, because of savepoint off',
  fix: 'savepoint on',
};

/** Hooks are run by the Node that PATH finds, which need not be the one that runs this command. */
async function nodeFindings({ env, project, homeDirectory }: Site): Promise<Finding[]> {
  const found = findProgram('node', lastingPath(env.PATH), project);
  if (found !== null && found.file === realPathOrNull(process.execPath)) return [];
  const why =
    found === null
      ? 'there is no node on PATH to run the hooks, so nothing is recorded'
      : await whyUnusable(found, homeDirectory);
  if (why === null) return [];
  const folder = shellWord(dirname(process.execPath));
  const fix = `start agents where PATH has a newer Node first: export PATH=${folder}:$PATH`;
  return [{ code: 'node-unusable', message: why, fix }];
}

/** Null for a Node that can run the hooks. */
async function whyUnusable({ file, path }: FoundProgram, home: string): Promise<string | null> {
  const { isDone, stderr } = await asked(file, [ownProgram(), '--version'], { path, home });
  const [line = ''] = stderr.split('\n');
  const why = line === '' ? 'it gave no answer' : line.replace(/^savepoint: /, '');
  return isDone ? null : `${file} cannot run the hooks, so nothing is recorded: ${why}`;
}

/** Events that hooks could not record, since the last one that they could. */
function lostEvents(home: string, project: string): Finding[] {
  const records = readHookLog(home).filter((one) => [project, null].includes(one.project));
  const since = records.slice(records.findLastIndex(({ outcome }) => outcome === 'recorded') + 1);
  const failed = since.filter(({ outcome }) => outcome === 'failed');
  const newest = failed.at(-1);
  if (newest === undefined) return [];
  const why = newest.detail ?? newest.reason ?? 'unknown';
  const message = `hooks could not record the last ${plural(failed.length, 'event')}: ${why}`;
  return [{ code: 'events-lost', message, fix: `see ${join(home, 'hook.log')}` }];
}

async function agentReport(
  name: AgentName,
  { isUsed, hooks, seen }: AgentHealth,
  site: Site,
): Promise<Report['agents'][number]> {
  const version = isUsed ? await versionOf(ALL_SETTINGS[name], site) : null;
  return {
    name,
    used: isUsed,
    version: version ?? seen?.version ?? null,
    hooks: hooks.map(({ scope, file, event, command }) => ({ scope, file, event, command })),
    seen: timeOrNull(seen?.at ?? null),
    seenEvent: seen?.event ?? null,
  };
}

const LONGEST_MS = 5000;

/** Asks a program for its version, but none that is part of the project. */
async function versionOf({ program }: AgentSettings, site: Site): Promise<string | null> {
  const found = findProgram(program, site.env.PATH, site.project);
  if (found === null) return null;
  const places = { path: found.path, home: site.homeDirectory };
  const { isDone, stdout } = await asked(found.file, ['--version'], places);
  return isDone ? (/\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null) : null;
}

/** Runs a program that is expected to answer at once. */
function asked(
  file: string,
  args: readonly string[],
  { path, home }: { readonly path: string; readonly home: string },
): Promise<{ readonly isDone: boolean; readonly stdout: string; readonly stderr: string }> {
  const env = { PATH: path, HOME: home, DISABLE_AUTOUPDATER: '1' };
  const options = { env, cwd: '/', timeout: LONGEST_MS, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ isDone: error === null, stdout, stderr });
    });
    child.stdin?.end();
  });
}

interface StoreReport {
  readonly numbers: Pick<Report['store'], 'checkpoints' | 'bytes'>;
  readonly findings: readonly Finding[];
}

const NOTHING = { checkpoints: null, bytes: null };
const LOOKED_AT = 20;

/** A look that takes no time: what is damaged inside, `savepoint fsck` finds. */
async function storeReport(call: Call): Promise<StoreReport> {
  try {
    return await withTimeline(call, examineStore);
  } catch (error) {
    if (isSavepointError(error, 'store-missing')) {
      return { numbers: NOTHING, findings: [NO_BASELINE] };
    }
    if (!isSavepointError(error)) throw error;
    if (error.code === 'project-refused') return { numbers: NOTHING, findings: [] };
    const fix =
      error.code === 'store-corrupt' ? 'savepoint fsck' : (error.hint ?? 'savepoint fsck');
    const message = `the store cannot be used: ${error.message}`;
    return { numbers: NOTHING, findings: [{ code: 'store-unusable', message, fix }] };
  }
}

const NO_BASELINE: Finding = {
  code: 'no-baseline',
  message: 'this project was never scanned: what agents do in a shell before that cannot be undone',
  fix: 'savepoint init',
};

async function examineStore(savepoint: Savepoint): Promise<StoreReport> {
  const { checkpoints } = await savepoint.stats();
  const newest = await savepoint.list({ limit: LOOKED_AT, importedAt: null });
  const gaps = newest.filter(({ coverage }) => coverage !== 'scanned' && coverage !== 'named');
  const [gap] = gaps;
  const findings: Finding[] = (await savepoint.isScanned()) ? [] : [NO_BASELINE];
  if (gap !== undefined) {
    const message = `${gaps.length} of the last ${plural(newest.length, 'checkpoint')} have a gap; the newest: ${COVERAGE[gap.coverage]}`;
    findings.push({ code: 'gaps', message, fix: 'savepoint status' });
  }
  return { numbers: { checkpoints, bytes: await savepoint.diskBytes() }, findings };
}

function reportText(call: Call, report: Report): string[] {
  const { savepoint, node, store, agents, findings } = report;
  const lines = [
    `Savepoint  ${savepoint.version}, ${displayText(savepoint.program)}`,
    `Node       ${node.version}, ${displayText(node.program)}`,
    `Project    ${displayText(store.project)}`,
    `Store      ${storeText(store)}`,
  ];
  for (const agent of agents) {
    if (agent.used || agent.hooks.length > 0) lines.push(...agentText(call, agent));
  }
  if (!agents.some(({ used }) => used)) lines.push('Agents     none found');
  if (findings.length === 0) return [...lines, '', 'Everything is fine.'];
  lines.push('', `${plural(findings.length, 'finding')}:`);
  for (const { message, fix } of findings) {
    lines.push(`- ${displayText(message)}`, `  mend it: ${displayText(fix)}`);
  }
  return lines;
}

function storeText({ checkpoints, bytes, recording }: Report['store']): string {
  const held =
    checkpoints === null
      ? 'nothing recorded yet'
      : `${plural(checkpoints, 'checkpoint')}, ${sizeText(bytes ?? 0)} on disk`;
  return recording ? held : `${held}; recording is off`;
}

function agentText(call: Call, { name, version, hooks, seen }: Report['agents'][number]): string[] {
  const { title } = ALL_SETTINGS[name];
  const scopes = [...new Set(hooks.map(({ scope }) => scope))].join(', ');
  const where = hooks.length === 0 ? 'no hooks' : `hooks in the scope ${scopes}`;
  const ran =
    seen === null ? 'not seen yet' : `seen ${relativeTime(Date.parse(seen), call.io.now())}`;
  const about = [...(version === null ? [] : [displayText(version)]), where];
  if (hooks.length > 0) about.push(ran);
  return [`Agent      ${title}: ${about.join(', ')}`];
}
