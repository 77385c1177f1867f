import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runAgent, type Stage, setStage } from '../src/cli/demo/stage.ts';
import { openSavepoint } from '../src/index.ts';
import { Terminal } from '../test/e2e/terminal.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const PROMPT = '$ ';
const [COLUMNS, ROWS] = [92, 120];

/**
 * What a person sees who takes back the bad message of the demonstration, recorded from a shell at a real
 * terminal.
 */
export async function recordRewind(): Promise<string> {
  const stage = setStage();
  try {
    const id = await letTheAgentWork(stage);
    return await typeAll(stage, [
      'node till.mjs 2>&1 | grep Error:',
      'savepoint list',
      `savepoint rewind ${id.slice(0, 4)} --yes`,
      'node till.mjs',
      'savepoint undo',
    ]);
  } finally {
    stage.remove();
  }
}

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
    .replaceAll(/\b[a-z2-9]{16}\b/g, 'ID')
    .replaceAll(/(rewind|before|diff) [a-z0-9]{4,}/g, '$1 ID');
}

async function letTheAgentWork({ project, home }: Stage): Promise<string> {
  const savepoint = await openSavepoint({ project, home });
  try {
    const sent = await runAgent(savepoint, () => undefined);
    return sent.at(-1)?.checkpointId ?? '';
  } finally {
    await savepoint.close();
  }
}

async function typeAll({ project, home }: Stage, commands: readonly string[]): Promise<string> {
  const terminal = new Terminal(['--norc', '--noprofile', '-i'], {
    program: 'bash',
    cwd: project,
    env: environment(project, home),
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
  const prompts = screen.split('\n').filter((line) => `${line} `.startsWith(PROMPT));
  return prompts.length === done + 1 && screen.endsWith(PROMPT.trimEnd());
}

/** With a line of air before each command, and without the prompt at the end. */
function spaced(screen: string): string {
  const lines = screen.split('\n').slice(0, -1);
  return lines
    .map((line, at) => (at > 0 && line.startsWith(PROMPT) ? `\n${line}` : line))
    .join('\n');
}

function environment(project: string, home: string): Record<string, string> {
  const programs = join(dirname(project), 'programs');
  mkdirSync(programs);
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
  };
}
