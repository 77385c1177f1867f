import { expect, test } from 'vitest';
import { highlighterFor, languageOf } from './highlight.ts';

async function coloured(path: string, lines: readonly string[]) {
  return (await highlighterFor(path))(lines);
}

test('colours a comment over several lines, line by line', async () => {
  const lines = await coloured('a.ts', ['const a = 1; /* begins', 'goes on', 'ends */ let b']);
  expect(lines.map((line) => line.map(({ text }) => text).join(''))).toEqual([
    'const a = 1; /* begins',
    'goes on',
    'ends */ let b',
  ]);
  expect(lines[1]).toEqual([{ text: 'goes on', scope: 'comment' }]);
});

test('gives text back as it was, also signs of HTML', async () => {
  const hostile = ['<script>alert("&amp;")</script>', `<b onclick='x("</span>")'>&lt;</b>`];
  const lines = await coloured('a.html', hostile);
  expect(lines.map((line) => line.map(({ text }) => text).join(''))).toEqual(hostile);
});

test('leaves long lines and unknown languages without colours', async () => {
  const long = `const a = "${'x'.repeat(3000)}";`;
  expect(await coloured('a.js', [long])).toEqual([[{ text: long, scope: null }]]);
  expect(await coloured('notes', ['const a'])).toEqual([[{ text: 'const a', scope: null }]]);
});

test('knows a language by the whole name of a file, and by no name of an object', () => {
  expect(languageOf('deploy/Dockerfile')).toBe('dockerfile');
  expect(languageOf('Makefile')).toBe('makefile');
  expect(languageOf('src/a.test.TSX')).toBe('typescript');
  expect(languageOf('x.constructor')).toBeNull();
});
