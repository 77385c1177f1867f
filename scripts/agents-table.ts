import { readFileSync, writeFileSync } from 'node:fs';
import { inCheckout } from './bundle-inputs.ts';

/** What `npm run test:agents` writes: a part of what vitest reports as JSON. */
interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** A row of the README's table: an agent whose program is run by the tests. */
interface Run {
  readonly name: string;
  readonly title: string;
  /** The file that names its version, and the field in it. */
  readonly manifest: string;
  readonly field: 'version' | 'claudeCodeVersion';
}

const RUN: readonly Run[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    manifest: 'node_modules/@anthropic-ai/claude-agent-sdk/package.json',
    field: 'claudeCodeVersion',
  },
  run('codex', 'Codex', '@openai/codex'),
  run('gemini', 'Gemini CLI', '@google/gemini-cli'),
  run('opencode', 'opencode', 'opencode-ai'),
];

function run(name: string, title: string, packageName: string): Run {
  const manifest = `test/agents/node_modules/${packageName}/package.json`;
  return { name, title, manifest, field: 'version' };
}

/** The other agents, and the version whose events were recorded: their programs do not run in the tests. */
const READ = [
  ['Qwen Code', '0.24.4'],
  ['Copilot CLI', '1.0.102'],
  ['pi', '0.73.1'],
  ['Kilo', '7.7.9'],
  ['Cline', '3.0.65'],
  ['Droid', '0.215'],
] as const;

/** What each file of the stories shows, as a column. */
const COLUMNS = [
  ['story.test.ts', 'three prompts taken back'],
  ['interrupted.test.ts', 'Esc and `kill -9`'],
  ['together.test.ts', 'beside another agent'],
  ['fork.test.ts', 'conversation forked'],
] as const;

const README = inCheckout('README.md');
const PLACE = /(<!-- agents -->\n)[\s\S]*?(<!-- \/agents -->)/;

/** The table of agents: how each was proven, from the results of the tests. */
function agentsTable(results: Results): string {
  const head = ['agent', 'version', ...COLUMNS.map(([, title]) => title)];
  const rows = RUN.map(({ name, title, manifest, field }) => {
    const version = JSON.parse(readFileSync(inCheckout(manifest), 'utf8'))[field] as string;
    return [
      title,
      version,
      ...COLUMNS.map(([file]) => (isShown(results, file, name) ? 'yes' : 'no')),
    ];
  });
  const read = READ.map(([title, version]) => [title, version, 'its recorded events', '', '', '']);
  return [head, head.map(() => '---'), ...rows, ...read]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

function isShown({ testResults }: Results, file: string, agent: string): boolean {
  const tests = testResults
    .filter(({ name }) => name.endsWith(`/${file}`))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName }) => new RegExp(`\\b${agent}\\b`).test(fullName));
  return tests.length > 0 && tests.every(({ status }) => status === 'passed');
}

/** The README with this table in it. */
function readmeWith(table: string): string {
  return readFileSync(README, 'utf8').replace(PLACE, (_, begin, end) => `${begin}${table}${end}`);
}

/** Writes the table into the README, or says whether it is there already. */
export function keepTable(resultsFile: string, mayWrite: boolean): boolean {
  const results = JSON.parse(readFileSync(resultsFile, 'utf8')) as Results;
  const text = readmeWith(agentsTable(results));
  const isThere = text === readFileSync(README, 'utf8');
  if (!isThere && mayWrite) writeFileSync(README, text);
  return isThere || mayWrite;
}
