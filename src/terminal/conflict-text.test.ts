import { expect, it } from 'vitest';
import type { Conflict, MergePiece, State, TrackedPath } from '../index.ts';
import { conflictText, hasMarkers, lineEndOf, markedText } from './conflict-text.ts';

const plain = (_style: string, text: string): string => text;
const bytes = (text: string): Uint8Array => Buffer.from(text);
const file = (text: string): State => ({
  kind: 'captured',
  type: 'file',
  mode: 0o644,
  blob: null,
  size: text.length,
});

function conflict(mine: string, rewound: string, pieces: readonly MergePiece[] | null): Conflict {
  const path = 'a\x1b.txt' as TrackedPath;
  const diff = { path, before: file(rewound), after: file(mine) };
  return { diff: { ...diff, beforeBytes: bytes(rewound), afterBytes: bytes(mine) }, pieces };
}

const BOTH = conflict('top\nmine\x1b[2J\nend', 'top\nold\nend', [
  { both: ['top\n'] },
  { ours: ['mine\x1b[2J\n'], theirs: ['old\n'] },
  { both: ['end'] },
]);

it('shows the lines of both sides where they differ, safe to show', () => {
  expect(conflictText(BOTH, plain)).toEqual([
    'a\\x1b.txt, line 2',
    '  yours:',
    '  +mine\\x1b[2J',
    "  the rewind's:",
    '  -old',
  ]);
});

it('says so where a side has no lines, and shows a diff where lines say nothing', () => {
  const pieces = [{ ours: ['mine\n'], theirs: [] }];
  expect(conflictText(conflict('mine\n', '', pieces), plain).at(-1)).toBe(
    "  the rewind's: nothing",
  );
  expect(conflictText(conflict('a\0', 'b\0', null), plain).at(-1)).toMatch(/^Binary files/);
});

it('marks what is to be decided, and finds a marker that was left', () => {
  const marked = markedText(BOTH) ?? '';
  expect(marked).toBe("top\n<<<<<<< yours\nmine\x1b[2J\n=======\nold\n>>>>>>> the rewind's\nend");
  expect(hasMarkers(marked, BOTH)).toBe(true);
  for (const line of ['<<<<<<< yours', '=======', ">>>>>>> the rewind's"]) {
    expect(hasMarkers(`top\n${line}\nend`, BOTH)).toBe(true);
    expect(hasMarkers(`top\r\n${line}\r\nend`, BOTH)).toBe(true);
  }
  expect(hasMarkers('top\nmine\nold\nend', BOTH)).toBe(false);
});

it("leaves the file's own lines of = alone", () => {
  const own = conflict('Title\n=======\nmine\n', 'Title\n=======\nold\n', [
    { both: ['Title\n', '=======\n'] },
    { ours: ['mine\n'], theirs: ['old\n'] },
  ]);
  expect(hasMarkers('Title\n=======\nboth\n', own)).toBe(false);
  expect(hasMarkers(markedText(own)?.replaceAll(/^[<>].*\n/gm, '') ?? '', own)).toBe(true);
});

it('puts markers on lines of their own, and offers no merge of what is not UTF-8', () => {
  const open = conflict('mine', 'old', [{ ours: ['mine'], theirs: ['old'] }]);
  expect(markedText(open)).toBe("<<<<<<< yours\nmine\n=======\nold\n>>>>>>> the rewind's\n");
  expect(markedText(conflict('x', 'y', [{ ours: ['\xff\n'], theirs: [] }]))).toBeNull();
  expect(markedText(conflict('x', 'y', null))).toBeNull();
});

it('knows how the merged text is to end, which no editor tells', () => {
  const ending = (...pieces: MergePiece[]): string => lineEndOf(conflict('x', 'y', pieces));
  const open = { ours: ['mine\n'], theirs: ['old\n'] };
  expect(ending(open, { both: ['end\r\n'] })).toBe('\r\n');
  expect(ending(open, { both: ['end'] }, { both: [] })).toBe('');
  expect(ending(open)).toBe('\n');
  expect(ending({ both: ['top\n'] }, { ours: ['mine'], theirs: ['old'] })).toBe('');
  expect(ending({ both: ['top\r\n'] }, { ours: [], theirs: ['old\r\n'] })).toBe('\r\n');
});
