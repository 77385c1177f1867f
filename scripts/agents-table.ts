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

/** The other agents, and their packages. Their programs are run for a short story of two prompts, outside of CI. */
const OUTSIDE = [
  ['Qwen Code', '@qwen-code/qwen-code'],
  ['Copilot CLI', '@github/copilot'],
  ['pi', '@mariozechner/pi-coding-agent'],
  ['Kilo', '@kilocode/cli-linux-x64'],
  ['Cline', '@cline/cli-linux-x64'],
  ['Droid', '@factory/cli-linux-x64'],
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
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(inCheckout('test/agents/more/package.json'), 'utf8'),
  );
  const versions: Readonly<Record<string, string>> = { ...dependencies, ...optionalDependencies };
  const rows = RUN.map(({ name, title, manifest, field }) => {
    const version = JSON.parse(readFileSync(inCheckout(manifest), 'utf8'))[field] as string;
    return [
      title,
      version,
      ...COLUMNS.map(([file]) => (isShown(results, file, name) ? 'yes' : 'no')),
    ];
  });
  const outside = OUTSIDE.map(([title, name]) => [
    title,
    versions[name],
    'two, outside of CI',
    '',
    '',
    '',
  ]);
  return [head, head.map(() => '---'), ...rows, ...outside]
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
