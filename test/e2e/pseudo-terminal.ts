import { spawn, spawnSync } from 'node:child_process';
import { PATH } from './cli-project.ts';

/** Whether `script` of util-linux is there, which gives a child a real terminal. */
export const hasTerminal: boolean =
  process.platform === 'linux' &&
  spawnSync('script', ['--version'], { env: { PATH }, encoding: 'utf8' }).stdout?.includes(
    'util-linux',
  );

/** What to type, or to do first, once a text has appeared. */
export type Turn = readonly [seen: string, typed: string | (() => string)];

const LONGEST_WAIT_MS = 30_000;

/** Runs Node at a terminal of its own, with somebody who types. Gives the screen and the exit code. */
export function runAtTerminal(
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; columns?: number },
  turns: readonly Turn[],
): Promise<{ code: number | null; screen: string }> {
  const command = [process.execPath, ...args].map((word) => `'${word}'`).join(' ');
  const size = `stty cols ${options.columns ?? 80} rows 24`;
  const child = spawn('script', ['-qec', `${size}; ${command}`, '/dev/null'], {
    cwd: options.cwd,
    env: { ...options.env, SHELL: '/bin/sh', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  let from = 0;
  const left = [...turns];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [next] = left;
    const at = next === undefined ? -1 : screen.indexOf(next[0], from);
    if (next === undefined || at === -1) return;
    from = at + next[0].length;
    left.shift();
    child.stdin.write(typeof next[1] === 'string' ? next[1] : next[1]());
  });
  // A question that never comes must fail the test, not hang it.
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_WAIT_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, screen: screen.replaceAll('\r\n', '\n') });
    });
  });
}
