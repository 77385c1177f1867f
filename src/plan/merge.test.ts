import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../test/property/runs.ts';
import { conflictPieces, isBinary, type MergeInput, type MergePiece, mergeText } from './merge.ts';

describe('isBinary', () => {
  it('sees a NUL byte wherever it is', () => {
    const late = new Uint8Array(20_000).fill(0x61);
    expect(isBinary(late)).toBe(false);
    late[19_999] = 0;
    expect(isBinary(late)).toBe(true);
    expect(isBinary(new Uint8Array())).toBe(false);
    expect(isBinary(Uint8Array.of(0xff, 0x80, 0x0a))).toBe(false);
  });
});

describe('mergeText', () => {
  it.each<[string, base: string, ours: string, theirs: string, merged: string]>([
    ['edits in different places', 'a b c d e ', 'A b c d e ', 'a b c d E ', 'A b c d E '],
    ['one common line between', 'a b c ', 'A b c ', 'a b C ', 'A b C '],
    ['an insertion at the start and one at the end', 'a b ', 'x a b ', 'a b y ', 'x a b y '],
    ['a deletion and an insertion', 'a b c d ', 'b c d ', 'a b c x d ', 'b c x d '],
    ['the same edit on both sides', 'a b c d e ', 'a X c d e ', 'a X c d E ', 'a X c d E '],
    ['the same insertion on both sides', 'a b c ', 'a x b c C ', 'a x b c ', 'a x b c C '],
    ['the same line appended', 'a b c ', 'A b c d ', 'a b c d ', 'A b c d '],
    ['the same repeated line added', 'x x x b c ', 'x x x x b c ', 'x x x x b C ', 'x x x x b C '],
    ['a newline added at the end', 'a b c', 'a b c ', 'A b c', 'A b c '],
    ['a newline taken away', 'a b c ', 'a b c', 'A b c ', 'A b c'],
    ['carriage returns', 'a\r b\r c\r ', 'A\r b\r c\r ', 'a\r b\r C\r ', 'A\r b\r C\r '],
    ['everything deleted, nothing else done', 'a b ', '', 'a b ', ''],
    ['everything deleted by both', 'a b ', '', '', ''],
    ['the same content added to an empty file', '', 'a b ', 'a b ', 'a b '],
  ])('merges %s', (_, base, ours, theirs, merged) => {
    expect(mergeWords(base, ours, theirs)).toBe(merged);
    expect(mergeWords(base, theirs, ours)).toBe(merged);
  });

  it.each<[string, base: string, ours: string, theirs: string]>([
    ['two edits of one line', 'a b c ', 'a X c ', 'a Y c '],
    ['overlapping edits', 'a b c d e ', 'a X X d e ', 'a b Y Y e '],
    ['neighbouring lines', 'a b c d ', 'a X c d ', 'a b Y d '],
    ['an insertion beside an edit', 'a b c ', 'a x b c ', 'a B c '],
    ['an insertion beside a deletion', 'a b c ', 'a b x c ', 'a c '],
    ['two insertions at one place', 'a b ', 'a x b ', 'a y b '],
    ['two insertions at the start', 'a b ', 'x a b ', 'y a b '],
    ['two insertions at the end', 'a b ', 'a b x ', 'a b y '],
    ['one insertion that begins like the other', 'a b ', 'a x b ', 'a x y b '],
    ['different content added to an empty file', '', 'a ', 'b '],
    ['an edit of a file that the other emptied', 'a b ', '', 'a B '],
    ['a newline taken away where a line was appended', 'a b ', 'a b', 'a b c '],
    ['an edit and new line endings', 'a b c ', 'a\r b\r c\r ', 'a B c '],
    ['a line deleted here and replaced there', '4 1 3 k l ', '1 3 k l ', '1 1 3 m l '],
  ])('refuses %s', (_, base, ours, theirs) => {
    expect(mergeWords(base, ours, theirs)).toBeNull();
    expect(mergeWords(base, theirs, ours)).toBeNull();
  });

  it('refuses binary content that both sides changed differently', () => {
    const [base, ours, theirs] = [bytes('a\nb\nc\0'), bytes('A\nb\nc\0'), bytes('a\nb\nC\0')];
    expect(mergeText({ base, ours, theirs })).toBeNull();
    expect(mergeText({ base, ours: base, theirs })).toEqual(theirs);
    expect(mergeText({ base, ours, theirs: base })).toEqual(ours);
    expect(mergeText({ base, ours, theirs: ours })).toEqual(ours);
    const text = { base: bytes('a\nb\nc\n'), ours: bytes('A\nb\nc\n') };
    expect(mergeText({ ...text, theirs: bytes('a\nb\nc\0\n') })).toBeNull();
  });

  it('keeps every byte of content that is not UTF-8', () => {
    const [high, low] = [Uint8Array.of(0xff, 0xfe, 0x80, 10), Uint8Array.of(0xc3, 0x28, 0x9f, 10)];
    const middle = bytes('middle\n');
    const base = Buffer.concat([bytes('1\n'), middle, bytes('2\n')]);
    const ours = Buffer.concat([high, middle, bytes('2\n')]);
    const theirs = Buffer.concat([bytes('1\n'), middle, low]);
    expect(mergeText({ base, ours, theirs })).toEqual(
      new Uint8Array(Buffer.concat([high, middle, low])),
    );
  });

  it('takes the side that changed when the other did not', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (base, changed) => {
        expect(mergeText({ base, ours: base, theirs: changed })).toEqual(changed);
        expect(mergeText({ base, ours: changed, theirs: base })).toEqual(changed);
        expect(mergeText({ base, ours: changed, theirs: changed })).toEqual(changed);
      }),
    );
  });

  it('does not care which side is which', () => {
    fc.assert(
      fc.property(repetitive, ({ base, ours, theirs }) => {
        const there = mergeText({ base, ours, theirs });
        expect(mergeText({ base, ours: theirs, theirs: ours })).toEqual(there);
      }),
      propertyRuns(2.5),
    );
  });

  it('contains both sides’ edits when a common line stands between any two of them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(side, edit), { maxLength: 12 }), (edits) => {
        const whole = (pick: (at: 'ours' | 'theirs') => boolean) =>
          bytes(edits.map(([at, [old, now]], i) => `${pick(at) ? now : old}${i}\n`).join(''));
        const merged = mergeText({
          base: whole(() => false),
          ours: whole((at) => at === 'ours'),
          theirs: whole((at) => at === 'theirs'),
        });
        expect(merged).toEqual(whole(() => true));
      }),
    );
  });
});

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit)('mergeText and git merge-file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'savepoint-merge-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('agree, conflicts included, where lines can be matched in one way only', () => {
    fc.assert(
      fc.property(distinct, (input) => {
        expect(asText(mergeText(input))).toBe(gitMerge(folder, input));
      }),
      propertyRuns(0.25),
    );
  });

  it('agree in nearly all cases where repeated lines can be matched in several ways', () => {
    const inputs = fc.sample(repetitive, propertyRuns(0.25));
    const agreed = inputs.filter((input) => asText(mergeText(input)) === gitMerge(folder, input));
    expect(agreed.length).toBeGreaterThanOrEqual(0.95 * inputs.length);
  });
});

function gitMerge(folder: string, input: MergeInput): string | null {
  for (const name of ['base', 'ours', 'theirs'] as const) {
    writeFileSync(join(folder, name), input[name]);
  }
  const git = spawnSync('git', ['merge-file', '-p', 'ours', 'base', 'theirs'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  });
  // The status is the number of conflicts; 128 and up is a failure of git itself.
  if (git.status === null || git.status >= 128) throw new Error(git.stderr.toString());
  return git.status === 0 ? git.stdout.toString('latin1') : null;
}

/** Random bases with random edits on both sides; a last line in four has no newline. */
function edited(baseLine: (i: number) => fc.Arbitrary<string>, newLine: fc.Arbitrary<string>) {
  const end = fc.constantFrom('\n', '\n', '\n', '');
  const keep = { weight: 8, arbitrary: fc.constant(null) };
  const change = (one: fc.Arbitrary<string[]>) => fc.oneof(keep, { weight: 1, arbitrary: one });
  const text = (lines: fc.Arbitrary<string[]>) =>
    fc.tuple(lines, end).map(([all, last]) => bytes(all.join('\n') + (all.length > 0 ? last : '')));
  const sideOf = (base: string[]) =>
    text(
      fc
        .tuple(
          ...base.map((line) =>
            change(fc.array(newLine, { maxLength: 2 })).map((x) => x ?? [line]),
          ),
          change(fc.array(newLine, { maxLength: 2 })).map((x) => x ?? []),
        )
        .map((parts) => parts.flat()),
    );
  return fc
    .integer({ min: 0, max: 16 })
    .chain((length) => fc.tuple(...Array.from({ length }, (_, i) => baseLine(i))))
    .chain((base) =>
      fc.record({ base: text(fc.constant(base)), ours: sideOf(base), theirs: sideOf(base) }),
    );
}

const distinct: fc.Arbitrary<MergeInput> = edited(
  (i) => fc.constant(`line ${i}`),
  fc.constantFrom('x', 'y', 'z'),
);
const repetitive: fc.Arbitrary<MergeInput> = edited(
  () => fc.nat(5).map(String),
  fc.nat(5).map(String),
);

const anyBytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 30 });
const side: fc.Arbitrary<'ours' | 'theirs'> = fc.constantFrom('ours', 'theirs');
/** Lines before and after, which never equal the numbered lines between. */
const edit: fc.Arbitrary<[string, string]> = fc.tuple(
  fc.constantFrom('', 'a\n', 'a\nb\n', '\n'),
  fc.constantFrom('', 'c\n', 'a\n', 'b\nc\n'),
);

/** A word for each line: " " stands for the newline. */
function mergeWords(base: string, ours: string, theirs: string): string | null {
  const lines = (words: string) => bytes(words.replaceAll(' ', '\n'));
  const merged = mergeText({ base: lines(base), ours: lines(ours), theirs: lines(theirs) });
  return asText(merged)?.replaceAll('\n', ' ') ?? null;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function asText(merged: Uint8Array | null): string | null {
  return merged && Buffer.from(merged).toString('latin1');
}

describe('conflictPieces', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', 'e'), { maxLength: 12 })
    .map((lines) => Buffer.from(lines.join('')));
  const sideOf = (pieces: readonly MergePiece[], side: 'ours' | 'theirs'): string =>
    pieces.flatMap((piece) => ('both' in piece ? piece.both : piece[side])).join('');

  it('without a base holds both texts whole, and every difference is open', () => {
    fc.assert(
      fc.property(text, text, (ours, theirs) => {
        const pieces = conflictPieces({ base: null, ours, theirs }) ?? [];
        expect(sideOf(pieces, 'ours')).toBe(ours.toString());
        expect(sideOf(pieces, 'theirs')).toBe(theirs.toString());
      }),
      propertyRuns(2),
    );
  });

  it('with a base is open exactly where a merge fails, and is that merge elsewhere', () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const pieces = conflictPieces({ base, ours, theirs }) ?? [];
        const isOpen = pieces.some((piece) => 'ours' in piece);
        const merged = mergeText({ base, ours, theirs });
        expect(isOpen).toBe(merged === null);
        if (merged !== null) expect(sideOf(pieces, 'ours')).toBe(Buffer.from(merged).toString());
      }),
      propertyRuns(2),
    );
  });

  it('has nothing for content that is not text', () => {
    const [ours, theirs] = [Buffer.from([0]), Buffer.from('a')];
    expect(conflictPieces({ base: null, ours, theirs })).toBeNull();
  });
});
