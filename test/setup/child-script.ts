import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A module in a process of its own, for what only another process can show. */
export class ChildScript {
  readonly #child: ChildProcess;
  #output = '';

  /** `values` are what the module finds in `process.argv` from index 1 on. */
  constructor(module: string, ...values: string[]) {
    const flags = ['--no-warnings', '--input-type=module', '--eval', module];
    this.#child = spawn(process.execPath, [...flags, '--', ...values], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
  }

  /** Resolves when the module has printed `text`. */
  async says(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      if (this.#child.stdout === null) throw new Error('the child has no output');
      if (this.#child.exitCode !== null) throw new Error(`the child ended after: ${this.#output}`);
      await Promise.race([once(this.#child.stdout, 'data'), once(this.#child, 'close')]);
    }
  }

  /** The exit code. */
  async ends(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await once(this.#child, 'close');
    }
    return this.#child.exitCode;
  }

  /** Ends it as a power cut would: no handler of it runs. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ends();
  }
}
