import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Stage, setStage } from '../src/cli/demo/stage.ts';
import { startStoryModel } from '../test/agents/model/model.ts';
import type { Story } from '../test/agents/model/script.ts';
import { CLAUDE_CODE } from '../test/agents/real/claude-code.ts';
import { putFile } from '../test/agents/real/real-agent.ts';
import { Terminal } from '../test/e2e/terminal.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const PROMPT = '$ ';
// With the name of a machine before it, where there are several.
const PROMPT_LINE = /^[a-z]*\$( |$)/;
const [COLUMNS, ROWS] = [92, 120];

/**
 * What a person sees who sets up Claude Code, lets it wreck something, and takes that back. The agent is the real
 * one, on a model of this machine that always says the same.
 */
export async function recordRewind(): Promise<string> {
  const stage = setStage();
  const { project } = stage;
  const home = dirname(project);
  const model = await startStoryModel('messages', CLEANED_UP, CLAUDE_CODE.toolFor(project));
  try {
    CLAUDE_CODE.settle({ home, project }, model.url);
    putFile(join(home, '.claude', 'settings.json'), {
      permissions: { defaultMode: 'bypassPermissions' },
    });
    const commands = [
      'savepoint init --agent claude-code --yes --quiet',
      `claude -p "${PROMPT_TO_AGENT}"`,
      'node till.mjs 2>&1 | grep Error:',
      'savepoint list',
      'savepoint rewind latest --yes',
      'node till.mjs',
      'savepoint undo',
    ];
    const programs = { [CLAUDE_CODE.program]: CLAUDE_CODE.file };
    const env = environment(stage, { programs, env: CLAUDE_CODE.env(model.url) });
    return await typeAll(stage, commands, env);
  } finally {
    await model.close();
    stage.remove();
  }
}

const PROMPT_TO_AGENT = 'Clean up the code a little.';

/** The agent breaks a file with its tool, and removes another one in a shell. */
const CLEANED_UP: Story = {
  [PROMPT_TO_AGENT]: [
    [{ act: 'read', path: 'till.mjs' }],
    [{ act: 'edit', path: 'till.mjs', from: 'let total = 0;\n', to: '' }],
    [{ act: 'run', command: 'rm README.md' }],
  ],
};

/** What a person sees who runs programs under Savepoint, and takes back what can be taken back. */
export async function recordRuns(): Promise<string> {
  const stage = setStage();
  try {
    mkdirSync(join(stage.project, 'node_modules'));
    writeFileSync(join(stage.project, 'node_modules/cache.json'), '{}\n');
    writeFileSync(join(stage.project, 'film.bin'), Buffer.alloc(11 * 1024 * 1024));
    return await typeAll(stage, [
      "savepoint run -- sed -i 's/total/sum/' till.mjs",
      "savepoint run -- sed -i 's/sum/amount/' till.mjs",
      'savepoint run -- rm README.md',
      'savepoint rewind ~2 --yes',
      'savepoint undo',
      'savepoint run -- rm node_modules/cache.json',
      'savepoint undo',
      'savepoint undo ~1',
      'savepoint run -- rm film.bin',
      'savepoint undo; echo "ended with $?"',
    ]);
  } finally {
    stage.remove();
  }
}

/** Ids are random, and so are the letters of one that have to be typed; and a machine may be slow. */
export function withoutIds(session: string): string {
  return session
    .replaceAll(/\d+ (seconds?|minutes?) ago/g, 'just now')
    .replaceAll(/^([@ ]) [a-z0-9]{8} /gm, '$1 ID ')
    .replaceAll(/^([a-z-]+) {2}[0-9a-f]{8} {2}active/gm, '$1  ID  active')
    .replaceAll(/\b[a-z2-9]{16}\b/g, 'ID')
    .replaceAll(/\b[0-9a-f]{24}\b/g, 'ID')
    .replaceAll(/HEAD moved \(\w+ then, \w+ now\)/g, 'HEAD moved')
    .replaceAll(/(rewind|before|diff|Done:) [a-z0-9]{4,}/g, '$1 ID');
}

/** What a session has beside Savepoint and Node. */
interface Equipment {
  /** Files of programs, by the names that they have on PATH. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

export async function typeAll(
  stage: Stage,
  commands: readonly string[],
  env: Readonly<Record<string, string>> = environment(stage),
): Promise<string> {
  const terminal = new Terminal(['--norc', '--noprofile', '-i'], {
    program: 'bash',
    cwd: stage.project,
    env,
    columns: COLUMNS,
    rows: ROWS,
  });
  try {
    for (const [done, command] of commands.entries()) {
      await terminal.until((screen) => isWaiting(screen, done));
      terminal.type(`${command}\r`);
    }
    const screen = await terminal.until((text) => isWaiting(text, commands.length));
    return spaced(screen);
  } finally {
    await terminal.close();
  }
}

/** As many prompts as commands that are through, and one that waits. */
function isWaiting(screen: string, done: number): boolean {
  const prompts = screen.split('\n').filter((line) => PROMPT_LINE.test(line));
  return prompts.length === done + 1 && screen.endsWith(PROMPT.trimEnd());
}

/** With a line of air before each command, and without the prompt at the end. */
function spaced(screen: string): string {
  const lines = screen.split('\n').slice(0, -1);
  return lines
    .map((line, at) => (at > 0 && PROMPT_LINE.test(line) ? `\n${line}` : line))
    .join('\n');
}

export function environment(
  { project, home }: Stage,
  equipment: Equipment = {},
): Record<string, string> {
  const programs = join(dirname(project), 'programs');
  mkdirSync(programs);
  for (const [name, file] of Object.entries(equipment.programs ?? {})) {
    symlinkSync(file, join(programs, name));
  }
  const node = process.execPath;
  writeFileSync(join(programs, 'savepoint'), `#!/bin/sh\nexec "${node}" "${MAIN}" "$@"\n`, {
    mode: 0o755,
  });
  return {
    PATH: [programs, dirname(node), '/usr/bin', '/bin'].join(':'),
    HOME: dirname(project),
    SAVEPOINT_HOME: home,
    PS1: PROMPT,
    BASH_SILENCE_DEPRECATION_WARNING: '1',
    NO_COLOR: '1',
    LC_ALL: 'C.UTF-8',
    ...equipment.env,
  };
}
