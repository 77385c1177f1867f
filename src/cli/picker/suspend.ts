import type { Screen } from './screen.ts';

/** Long enough to be stopped by then, if we are going to be. */
const STOPPED_BY_MS = 200;

/** Ctrl-Z: gives the terminal back while the process is stopped, and takes it again afterwards. */
export class Suspension {
  readonly #screen: Screen;
  readonly #onResume: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen, onResume: () => void) {
    this.#screen = screen;
    this.#onResume = onResume;
  }

  listen(): void {
    process.on('SIGTSTP', this.#receive);
    process.on('SIGCONT', this.#resume);
  }

  stop(): void {
    clearTimeout(this.#timer);
    process.off('SIGTSTP', this.#receive);
    process.off('SIGCONT', this.#resume);
  }

  /** As the terminal does it for Ctrl-Z: the whole job is stopped, such as a script that called us. */
  suspendJob(): void {
    this.#suspend(0);
  }

  readonly #receive = (): void => this.#suspend(process.pid);

  #suspend(target: number): void {
    this.#screen.leave();
    process.off('SIGTSTP', this.#receive);
    process.kill(target, 'SIGTSTP');
    // Where no shell could wake the job up, the kernel stops nobody.
    this.#timer = setTimeout(this.#resume, STOPPED_BY_MS);
  }

  readonly #resume = (): void => {
    clearTimeout(this.#timer);
    if (!process.listeners('SIGTSTP').includes(this.#receive)) process.on('SIGTSTP', this.#receive);
    this.#screen.enter();
    this.#onResume();
  };
}
