import { spawn } from 'node:child_process';
import { findProject, withoutCredentials } from '../config/find-project.ts';
import { realPathOrNull } from '../fs/entries.ts';
import { findProgram } from '../fs/find-program.ts';
import { type Call, flag, type Option } from './command.ts';

/** Options of commands whose output can be longer than a screen. */
export const PAGER_OPTIONS: Readonly<Record<string, Option>> = {
  'no-pager': flag(
    'print everything at once (at a terminal, what is longer than the screen goes through PAGER, or less)',
  ),
};

/** Prints what was asked for; at a terminal through a pager if it is longer than the screen. */
export async function showPage(call: Call, lines: readonly string[]): Promise<void> {
  if (call.json || lines.length === 0) return;
  const text = `${lines.join('\n')}\n`;
  const pager = fits(call, lines) ? null : pagerOf(call);
  if (pager === null || !(await paged(call, pager, text))) call.io.out(text);
}

/** Counts colours as text. If that starts a pager for a text that fits, `less -F` ends at once. */
function fits({ io }: Call, lines: readonly string[]): boolean {
  const rows = lines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(line.length / io.columns)),
    0,
  );
  // One row is left for the prompt that follows.
  return rows < io.rows;
}

type Pager = readonly [program: string, ...args: string[]];

/** Only the person's own environment names a program to run, never the project. Null: none. */
function pagerOf(call: Call): Pager | null {
  const { io, flags } = call;
  const { PAGER: named, TERM: terminal } = io.env;
  if (!io.terminal || flags.has('no-pager') || terminal === 'dumb') return null;
  if (named === undefined) return lessOf(call);
  return named.trim() === '' || named.trim() === 'cat' ? null : ['/bin/sh', '-c', named];
}

function lessOf(call: Call): Pager | null {
  const project = findProject(call);
  const found = findProgram('less', call.io.env.PATH, realPathOrNull(project) ?? project);
  return found === null ? null : [found.file];
}

// As git has it: leave if it fits on one screen, show colours, let the text stay when it ends.
const LESS_OPTIONS = 'FRX';
const COULD_NOT_RUN: readonly unknown[] = [126, 127];

/** False when there is no such pager. A person who leaves the pager early has read enough. */
async function paged({ io }: Call, [program, ...args]: Pager, text: string): Promise<boolean> {
  const env = { ...withoutCredentials(io.env), LESS: io.env.LESS ?? LESS_OPTIONS };
  const child = spawn(program, args, { env, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(!COULD_NOT_RUN.includes(code)));
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  // Ctrl-C at the terminal is for the pager, which gets it too.
  return io.interrupts.during(
    () => ended,
    (signal) => void (signal === 'SIGINT' || child.kill(signal)),
  );
}
