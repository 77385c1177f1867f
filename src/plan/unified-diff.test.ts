import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../test/property/runs.ts';
import { countLines, type DiffHunk, unifiedHunks } from './unified-diff.ts';

describe('unifiedHunks', () => {
  it('shows a change with three lines around it', () => {
    expect(diff('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n')).toBe(
      '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    );
  });

  it('has nothing to show for equal content', () => {
    expect(unifiedHunks(bytes('a\n'), bytes('a\n'))).toEqual([]);
    expect(unifiedHunks(bytes(''), bytes(''))).toEqual([]);
  });

  it('numbers a file that was created, and one that was emptied, from 0', () => {
    expect(diff('', 'a\nb\n')).toBe('@@ -0,0 +1,2 @@\n+a\n+b\n');
    expect(diff('a\n', '')).toBe('@@ -1 +0,0 @@\n-a\n');
  });

  it('says where a last newline is missing', () => {
    expect(diff('a\nb', 'a\nb\n')).toBe(
      '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n',
    );
    expect(diff('a\nb', 'A\nb')).toBe(
      '@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n',
    );
  });

  it('puts changes whose context meets into one block, and no others', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `${i}\n`);
    const changed = (...at: number[]) =>
      bytes(lines.map((line, i) => (at.includes(i) ? `new ${line}` : line)).join(''));
    expect(unifiedHunks(changed(), changed(5, 12))).toHaveLength(1);
    expect(unifiedHunks(changed(), changed(5, 13))).toHaveLength(2);
    expect(unifiedHunks(changed(), changed(5, 7), 0)).toHaveLength(2);
  });

  it('decodes UTF-8, replaces what is not, and keeps a carriage return', () => {
    const after = Buffer.concat([bytes('\ufeffgrüß 🙂\r\n'), Uint8Array.of(0x61, 0xff, 0x0a)]);
    const lines = unifiedHunks(new Uint8Array(), after).flatMap((hunk) => hunk.lines);
    expect(lines.map(({ text }) => text)).toEqual(['\ufeffgrüß 🙂\r', 'a\ufffd']);
  });

  it('begins an added function where a reader would', () => {
    const one = '/** One. */\none() {\n  a();\n}\n';
    const two = '/** Two. */\ntwo() {\n  b();\n}\n';
    expect(added(`${one}\n`, `${one}\n${two}\n`)).toBe(`${two}\n`);
    expect(added(one, `${one}\n${two}`)).toBe(`\n${two}`);
    const test = (name: string) => `@Test\n${name}() {\n}\n\n`;
    expect(added(test('a') + test('c'), test('a') + test('b') + test('c'))).toBe(test('b'));
    const entry = (name: string) => `  {\n    name: ${name},\n  },\n`;
    const list = (...names: string[]) => `[\n${names.map(entry).join('')}]\n`;
    expect(added(list('a', 'c'), list('a', 'b', 'c'))).toBe(entry('b'));
  });

  it('copes with very many lines', () => {
    const many = bytes('x\n'.repeat(300_000));
    expect(unifiedHunks(new Uint8Array(), many)[0]?.lines).toHaveLength(300_000);
  });
});

describe('countLines', () => {
  it('counts added and removed lines', () => {
    expect(countLines(bytes('a\nb\nc\n'), bytes('a\nX\nY\nc'))).toEqual({
      insertions: 3,
      deletions: 2,
    });
    expect(countLines(bytes('a\n'), bytes('a\n'))).toEqual({ insertions: 0, deletions: 0 });
  });

  it('counts what unifiedHunks shows', () => {
    fc.assert(
      fc.property(repetitive, repetitive, (before, after) => {
        const lines = unifiedHunks(bytes(before), bytes(after)).flatMap((hunk) => hunk.lines);
        expect(countLines(bytes(before), bytes(after))).toEqual({
          insertions: lines.filter(({ kind }) => kind === 'add').length,
          deletions: lines.filter(({ kind }) => kind === 'remove').length,
        });
      }),
    );
  });
});

const hasDiff = spawnSync('diff', ['--version']).status === 0;
const hasGit = spawnSync('git', ['--version']).status === 0;

describe('unifiedHunks beside the tools', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'savepoint-diff-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.skipIf(!hasDiff)('says what `diff -u` says where lines match in one way only', () => {
    fc.assert(
      fc.property(distinct, distinct, fc.nat(4), (before, after, context) => {
        writeFileSync(join(folder, 'before'), before);
        writeFileSync(join(folder, 'after'), after);
        const told = run(folder, 'diff', [`-U${context}`, 'before', 'after']);
        // Without the two lines that name the files.
        expect(diff(before, after, context)).toBe(told.split('\n').slice(2).join('\n'));
      }),
      propertyRuns(0.25),
    );
  });

  it.skipIf(!hasGit)('gives a patch that git applies', () => {
    fc.assert(
      fc.property(repetitive, repetitive, fc.nat(4), (before, after, context) => {
        fc.pre(before !== after && before !== '' && after !== '');
        // Without context git takes a last line that has no newline for the same line with one.
        fc.pre(context > 0 || before.endsWith('\n'));
        writeFileSync(join(folder, 'file'), before);
        writeFileSync(
          join(folder, 'patch'),
          `--- a/file\n+++ b/file\n${diff(before, after, context)}`,
        );
        run(folder, 'git', ['apply', '--unidiff-zero', '--whitespace=nowarn', 'patch']);
        expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(after);
      }),
      propertyRuns(0.25),
    );
  });
});

function run(cwd: string, program: string, args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: cwd, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  // `diff` answers 1 for "different".
  if (status !== 0 && !(program === 'diff' && status === 1)) throw new Error(stderr);
  return stdout;
}

/** Lines in a fixed order, each at most once: two such texts match in one way only. */
const distinct: fc.Arbitrary<string> = textOf(
  fc
    .array(fc.constantFrom('', '', '', '', 'x', 'y', null), { minLength: 20, maxLength: 20 })
    .map((fates) => fates.flatMap((fate, i) => (fate === null ? [] : [`${fate}${i}`]))),
);

const repetitive: fc.Arbitrary<string> = textOf(
  fc.array(fc.constantFrom('a', 'b', '  c', '', '}'), { maxLength: 20 }),
);

function textOf(lines: fc.Arbitrary<string[]>): fc.Arbitrary<string> {
  return fc.tuple(lines, fc.constantFrom('\n', '\n', '')).map(([all, end]) =>
    all
      .map((line) => `${line}\n`)
      .join('')
      .slice(0, end === '' ? -1 : undefined),
  );
}

function diff(before: string, after: string, context?: number): string {
  return unifiedHunks(bytes(before), bytes(after), context).map(rendered).join('');
}

function rendered({ oldStart, oldLines, newStart, newLines, lines }: DiffHunk): string {
  const range = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`);
  const signs = { context: ' ', add: '+', remove: '-' };
  const body = lines.map(
    ({ kind, text, noNewline }) =>
      `${signs[kind]}${text}\n${noNewline ? '\\ No newline at end of file\n' : ''}`,
  );
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${body.join('')}`;
}

function added(before: string, after: string): string {
  const lines = unifiedHunks(bytes(before), bytes(after)).flatMap((hunk) => hunk.lines);
  return lines
    .filter(({ kind }) => kind === 'add')
    .map(({ text }) => `${text}\n`)
    .join('');
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
