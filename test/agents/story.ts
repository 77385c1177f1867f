import type { AgentBed } from './agent-bed.ts';
import type { Story } from './model/script.ts';

export const ONE = 'Part one of the story';
export const TWO = 'Part two of the story';
export const THREE = 'Part three of the story';
export const NEXT = 'What comes after the rewind';
export const LAST = 'And one more of them';
export const ELSEWHERE = 'What comes after the fork';
const HELPER = 'The helper in the story';

export const FILES: Readonly<Record<string, string>> = {
  'app.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  'notes.txt': 'keep\n',
  'old.txt': 'old\n',
  'move-me.txt': 'moves\n',
  'data.bin': '\0\u0001\u0002binary\0',
  'lib/keep.txt': 'kept\n',
};

/** Everything that agents do to files: named by tools, and not named, in commands. */
export const STORY: Story = {
  [ONE]: [
    [{ act: 'read', path: 'app.txt' }],
    [{ act: 'edit', path: 'app.txt', from: 'two', to: 'TWO' }],
    [{ act: 'write', path: 'made/deep/new.txt', content: 'new\n' }],
    [{ act: 'run', command: 'sed -i s/keep/gone/ notes.txt' }],
  ],
  [TWO]: [
    [{ act: 'run', command: 'rm old.txt && mv move-me.txt moved.txt' }],
    [{ act: 'run', command: 'echo half > half.txt; exit 3' }],
    [
      { act: 'run', command: 'echo first > first.txt' },
      { act: 'run', command: 'echo second > second.txt' },
    ],
    [{ act: 'run', command: "printf '\\000\\377\\001' > data.bin" }],
  ],
  [THREE]: [
    [{ act: 'delegate', prompt: HELPER }],
    [{ act: 'wait' }],
    [{ act: 'read', path: 'app.txt' }],
    [{ act: 'edit', path: 'app.txt', from: 'seven', to: 'SEVEN' }],
  ],
  [HELPER]: [
    [{ act: 'run', command: 'echo helped > by-command.txt' }],
    [{ act: 'write', path: 'by-tool.txt', content: 'helped\n' }],
  ],
  [NEXT]: [],
  [LAST]: [],
  [ELSEWHERE]: [],
};

/** Files and folders after the third part. */
export const FILES_AT_LAST: readonly string[] = [
  'app.txt',
  'by-command.txt',
  'by-tool.txt',
  'data.bin',
  'first.txt',
  'half.txt',
  'lib',
  'lib/keep.txt',
  'made',
  'made/deep',
  'made/deep/new.txt',
  'mine.txt',
  'moved.txt',
  'notes.txt',
  'second.txt',
];

/** What a person does between the second prompt and the third. */
export function personEdits(bed: AgentBed): void {
  bed.write('mine.txt', 'a file of the person\n');
  const app = bed.read('app.txt');
  bed.write('app.txt', app.replace('four', 'four, says the person'));
}
