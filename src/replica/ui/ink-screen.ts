import { type Instance, render } from 'ink';
import { createElement, type ReactElement } from 'react';
import { Screen, type ScreenProps } from './components/screen.ts';
import { TerminalModes } from './terminal-modes.ts';
import type { Size } from './ui-store.ts';

const HOME_AND_ERASE = '\x1b[H\x1b[J';

export interface ScreenEvents {
  readonly onResize: () => void;
  /** Nothing can be drawn any more: the terminal is gone, or ink gave up (and has said why). */
  readonly onLost: () => void;
}

/** The terminal while the UI has it: its modes, and ink that draws on it. */
export class InkScreen {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #modes: TerminalModes;
  readonly #props: Omit<ScreenProps, 'ended'>;
  #ink: Instance | null = null;
  #stopListening: () => void = () => undefined;

  constructor(
    { stdin, stdout }: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream },
    props: Omit<ScreenProps, 'ended'>,
  ) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#modes = new TerminalModes(stdin, stdout);
    this.#props = props;
  }

  get size(): Size {
    return { columns: this.#stdout.columns || 80, rows: this.#stdout.rows || 24 };
  }

  start({ onResize, onLost }: ScreenEvents): void {
    const [stdin, stdout] = [this.#stdin, this.#stdout];
    this.#modes.enter();
    // Before ink's own, which would draw for the size there was.
    stdout.on('resize', onResize);
    // A terminal that is gone is no reason to crash, also after the end.
    stdout.once('error', onLost).on('error', () => undefined);
    this.#stopListening = () => stdout.off('resize', onResize).off('error', onLost);
    const ink = render(this.#screen(false), {
      stdin,
      stdout,
      patchConsole: false,
      exitOnCtrlC: false,
      interactive: true,
    });
    this.#ink = ink;
    ink.waitUntilExit().catch(() => {
      if (this.#ink !== ink) return;
      this.#ink = null;
      onLost();
    });
  }

  /** From the first row on, over whatever is there; what has scrolled by is the store's to say. */
  drawAnew(): void {
    if (this.#ink === null) return;
    this.#ink.clear();
    this.#stdout.write(HOME_AND_ERASE);
    this.#ink.rerender(this.#screen(false));
  }

  /** What has scrolled by stays; the rest is taken off, and the terminal is as it was. Idempotent. */
  async stop(): Promise<void> {
    const ink = this.#ink;
    this.#ink = null;
    this.#stopListening();
    try {
      ink?.rerender(this.#screen(true));
      ink?.clear();
      ink?.unmount();
      await ink?.waitUntilExit();
    } finally {
      this.#modes.leave();
    }
  }

  /** Without a wait: only the modes. */
  restoreTerminal(): void {
    this.#modes.leave();
  }

  #screen(ended: boolean): ReactElement {
    return createElement(Screen, { ...this.#props, ended });
  }
}
