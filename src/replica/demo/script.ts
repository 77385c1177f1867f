import type { RewindChoice } from '../ui/interactive-ui.ts';

/** One thing that a person does in the play. */
export type Act =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'type'; readonly prompt: string }
  /** Esc Esc, and which entry of the menu is chosen, counted from the newest. */
  | { readonly kind: 'rewind'; readonly entry: number; readonly choice: RewindChoice }
  /** Shows files of the project as they are, which must be so: null for one that is not there. */
  | { readonly kind: 'look'; readonly files: Readonly<Record<string, string | null>> };

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

/** The play where no terminal is attached. */
export const SCRIPT: readonly Act[] = [
  { kind: 'say', text: 'A person asks the agent for a file, and then for something reckless.' },
  { kind: 'type', prompt: 'write notes.txt: remember the milk' },
  {
    kind: 'type',
    prompt: "run: sed -i 's/lamp/roof/' todo.txt && rm README.md && mv notes.txt lost.txt",
  },
  { kind: 'look', files: WRECKED },
  { kind: 'say', text: 'Esc Esc: the newest prompt is chosen, files only.' },
  { kind: 'rewind', entry: 0, choice: 'files' },
  { kind: 'look', files: REWOUND },
  { kind: 'say', text: 'And /undo takes the rewind back again.' },
  { kind: 'type', prompt: '/undo' },
  { kind: 'look', files: WRECKED },
  { kind: 'type', prompt: '/redo' },
  { kind: 'look', files: REWOUND },
];
