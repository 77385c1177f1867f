import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readFile } from '../fs/read-file.ts';
import { displayLines, displayText } from '../index.ts';
import { toolLine } from './tools/tool-line.ts';
import { withoutModelText } from './tools/tool-outcome.ts';
import type { InteractiveUI as UI, UIHandlers } from './ui/interactive-ui.ts';

/** What lies in the scratch project before anybody comes. */
export const FIRST_FILES: Readonly<Record<string, string>> = {
  'README.md': '# Scratch\n\nA throw-away project. Nothing you do here matters.\n',
  'todo.txt': 'water the plants\nfix the lamp\n',
};

const WRECKED = {
  'README.md': null,
  'notes.txt': null,
  'lost.txt': 'remember the milk\n',
  'todo.txt': 'water the plants\nfix the roof\n',
};

const REWOUND = { ...FIRST_FILES, 'notes.txt': 'remember the milk\n', 'lost.txt': null };

interface PlayedUIOptions {
  readonly project: string;
  readonly write: (text: string) => void;
}

/** How long the play waits for the agent before it gives up; a machine may be slow. */
const PATIENCE_MS = 120_000;
const GLANCE_MS = 20;
const COLUMNS = 80;

/** Stands for a person where no terminal is attached: follows a script, and prints plain text. */
export class PlayedUI implements UI {
  readonly #options: PlayedUIOptions;
  #busy = false;
  #hasNamedModel = false;
  #answer = '';
  /** What went wrong, if anything did: the play proves what it shows. */
  readonly failures: string[] = [];

  constructor(options: PlayedUIOptions) {
    this.#options = options;
  }

  async start(handlers: UIHandlers): Promise<void> {
    // The runner listens once this has returned.
    setImmediate(() => void this.#play(handlers));
  }

  async stop(): Promise<void> {
    this.endAnswer();
  }

  async #play({ onSubmit, onRewind, onExit }: UIHandlers): Promise<void> {
    const type = (text: string): Promise<void> => this.#working(() => onSubmit(text));
    this.#line('\n# A person asks the agent for a file, and then for something reckless.');
    await type('write notes.txt: remember the milk');
    await type("run: sed -i 's/lamp/roof/' todo.txt && rm README.md && mv notes.txt lost.txt");
    this.#look(WRECKED);
    this.#line('\n# Esc Esc: the newest prompt is chosen, files only.');
    await this.#working(onRewind);
    this.#look(REWOUND);
    this.#line('\n# And /undo takes the rewind back again.');
    await type('/undo');
    this.#look(WRECKED);
    await type('/redo');
    this.#look(REWOUND);
    onExit();
  }

  /** Until the agent waits for the person again. */
  async #working(act: () => Promise<void>): Promise<void> {
    await act();
    for (let waited = 0; waited < PATIENCE_MS; waited += GLANCE_MS) {
      if (!this.#busy) return;
      await pause(GLANCE_MS);
    }
    this.failures.push('the agent did not answer in time');
  }

  /** Shows files of the project, which must be as they are named here: null for one that is not there. */
  #look(files: Readonly<Record<string, string | null>>): void {
    for (const [name, expected] of Object.entries(files)) {
      const path = join(this.#options.project, name);
      const text = readFile(path).bytes?.toString() ?? null;
      if (text !== expected) this.failures.push(`${name} is not as it should be`);
      const shown = text === null ? '(not there)' : displayText(text.trim());
      this.#line(`    ${name}: ${shown}`);
    }
  }

  readonly displayInfo: UI['displayInfo'] = (text) => this.#line(displayLines(text));
  readonly displayWarning: UI['displayWarning'] = (text) => this.#line(`! ${displayLines(text)}`);
  readonly displayError: UI['displayError'] = (text) => {
    this.failures.push(text);
    this.#line(`x ${displayLines(text)}`);
  };
  readonly displaySuccess: UI['displaySuccess'] = (text) => this.#line(`✓ ${displayLines(text)}`);
  readonly displayBlock: UI['displayBlock'] = (lines) => {
    for (const line of lines) this.#line(line);
  };
  readonly displayUserMessage: UI['displayUserMessage'] = (text) =>
    this.#line(`\n> ${displayLines(text)}`);

  readonly streamAnswer: UI['streamAnswer'] = (piece) => {
    this.#answer += piece;
  };
  readonly endAnswer: UI['endAnswer'] = () => {
    if (this.#answer !== '') this.#line(displayLines(this.#answer));
    this.#answer = '';
  };

  readonly displayToolUse: UI['displayToolUse'] = (call) =>
    this.#line(`  ${toolLine(call, this.#options.project)}`);
  readonly displayToolResult: UI['displayToolResult'] = ({ text, isError }) => {
    if (isError) this.#line(`  failed: ${displayText(withoutModelText(text))}`);
  };

  readonly setActivity: UI['setActivity'] = (activity) => {
    this.#busy = activity !== null;
  };
  readonly setStatus: UI['setStatus'] = ({ model }) => {
    if (!this.#hasNamedModel) this.#line(displayText(model));
    this.#hasNamedModel = true;
  };

  readonly showRewindMenu: UI['showRewindMenu'] = async (entries) => {
    for (const [at, { description }] of entries.entries()) {
      this.#line(`  ${at + 1}  ${displayText(description)}`);
    }
    return entries[0] ?? null;
  };
  readonly showRewindChoice: UI['showRewindChoice'] = async ({ body }) => {
    for (const line of body(COLUMNS)) this.#line(`  ${line}`);
    return 'files';
  };
  readonly select: UI['select'] = async () => null;
  readonly askPermission: UI['askPermission'] = async () => 'once';
  readonly confirm: UI['confirm'] = async () => true;
  readonly editText: UI['editText'] = async (text) => ({ text });
  readonly askConflict: UI['askConflict'] = async () => null;

  // The script has no use for these.
  readonly streamThinking: UI['streamThinking'] = nothing;
  readonly displayToolOutput: UI['displayToolOutput'] = nothing;
  readonly displayTodos: UI['displayTodos'] = nothing;
  readonly setVerbose: UI['setVerbose'] = nothing;
  readonly setWaiting: UI['setWaiting'] = nothing;
  readonly clear: UI['clear'] = nothing;
  readonly refreshOffers: UI['refreshOffers'] = nothing;
  readonly showConversation: UI['showConversation'] = nothing;
  readonly setInput: UI['setInput'] = nothing;

  #line(text: string): void {
    this.#options.write(`${text}\n`);
  }
}

function nothing(): void {}
