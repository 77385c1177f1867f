import { Interrupts } from '../../src/cli/interrupts.ts';
import type { Io } from '../../src/cli/io.ts';
import { ProgressLine } from '../../src/cli/progress.ts';
import { run } from '../../src/cli/run.ts';
import type { CliProject, Result } from './cli-project.ts';

/**
 * A command line as `CliProject.run` has it, without a process of its own: that takes most of the time of a
 * short command. For what does not depend on signals, standard streams or a terminal.
 */
export async function runHere(project: CliProject, args: readonly string[]): Promise<Result> {
  let out = '';
  let err = '';
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    interactive: false,
    terminal: false,
    columns: 80,
    rows: 24,
    done: null,
    outputFailure: async () => null,
    ask: async () => null,
    env: project.env(),
    cwd: project.root,
    homeDirectory: project.env().HOME ?? '',
    platform: process.platform,
    interrupts: new Interrupts(() => undefined),
    progress: new ProgressLine({ isTTY: false, columns: 80, write: () => true }),
    now: Date.now,
    close: () => undefined,
  };
  const code = await run(args, io);
  return { code, out, err };
}
