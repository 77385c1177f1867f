import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** How a program ended. */
export interface Ended {
  /** As a shell would say it: 128 and the signal's number, 127 for a program that is not there. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started, or null. */
  readonly problem: string | null;
}

export interface Program {
  readonly ended: Promise<Ended>;
  /** Hands on a signal that came for us alone. */
  pass(signal: NodeJS.Signals): void;
}

/** Starts a program at our terminal, in our folder and with our environment, as a shell would. */
export function startProgram(
  words: readonly string[],
  options: { readonly quietOutput: boolean },
): Program {
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    stdio: ['inherit', options.quietOutput ? process.stderr.fd : 'inherit', 'inherit'],
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve(notStarted(program, error)));
    child.once('exit', (code, signal) => resolve(exited(code, signal)));
  });
  return {
    ended,
    pass: (signal) => {
      // The terminal sends Ctrl-C and Ctrl-\ to everybody itself.
      const isKey = signal === 'SIGINT' || signal === 'SIGQUIT';
      if (!isKey || !process.stdin.isTTY) child.kill(signal);
    },
  };
}

function exited(code: number | null, signal: NodeJS.Signals | null): Ended {
  const bySignal = signal === null ? 1 : 128 + constants.signals[signal];
  return { code: code ?? bySignal, signal, problem: null };
}

function notStarted(program: string, error: NodeJS.ErrnoException): Ended {
  const missing = error.code === 'ENOENT';
  const problem = missing ? `no such program: ${program}` : `${program}: ${error.message}`;
  return { code: missing ? 127 : 126, signal: null, problem };
}
