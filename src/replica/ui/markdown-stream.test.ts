import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { SAMPLE } from '../../../test/replica/markdown-sample.ts';
import { textWidth } from '../../terminal/text-width.ts';
import { loadHighlighter } from './code-highlight.ts';
import { markdownRows } from './markdown.ts';
import { LONGEST_PART } from './markdown-grammar.ts';
import { type MarkdownPart, settle, shownOf } from './markdown-stream.ts';

const room = {
  columns: 60,
  paint: (style: string, part: string): string => `<${style}>${part}</>`,
};

beforeAll(loadHighlighter);

/** The rows of an answer that came in such pieces, and the most that was left of it after one. */
function streamed(pieces: Iterable<string>): { rows: string[]; most: number } {
  const parts: MarkdownPart[] = [];
  let growing: MarkdownPart = { text: '', joins: false };
  let most = 0;
  for (const piece of pieces) {
    const settled = settle({ ...growing, text: growing.text + piece });
    parts.push(...settled.parts);
    growing = settled.growing;
    most = Math.max(most, growing.text.length);
  }
  const rows: string[] = [];
  for (const { text, joins } of [...parts, growing]) {
    const shown = markdownRows(text, room);
    if (rows.length > 0 && shown.length > 0 && !joins) rows.push('');
    rows.push(...shown);
  }
  return { rows, most };
}

function piecesOf(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
}

const LONG_CODE = `\`\`\`js\n${'/* a\n b */\nlet x = 1;\n\nf(`a\nb`);\n'.repeat(40)}\`\`\`\n`;
const LONG_LISTS = `${'1. one\n2. two\n   - a\n\n   - b\n\n3. three\n'.repeat(5)}\n${'- x\n'.repeat(50)}\ny\r\nz`;

it.each([
  ['everything', SAMPLE],
  ['much of everything', SAMPLE.repeat(20)],
  ['long code', LONG_CODE],
  ['long lists', LONG_LISTS],
])('looks the same in pieces as at once: %s', (_what, text) => {
  const whole = markdownRows(text, room);
  for (const size of [1, 7, 40, 1_000, text.length]) {
    expect(streamed(piecesOf(text, size)).rows).toEqual(whole);
  }
});

it('keeps little that can still change, however long an answer is', () => {
  expect(streamed(piecesOf(SAMPLE.repeat(20), 16)).most).toBeLessThan(400);
  expect(streamed(piecesOf(LONG_CODE, 16)).most).toBeLessThan(400);
  expect(streamed(piecesOf('- item\n'.repeat(500), 16)).most).toBeLessThan(40);
  for (const endless of ['word ', 'x', '|a|b|\n|-|-|\n', '1. a\n', '> a\n', '`', '```js\n']) {
    const { most } = streamed(piecesOf(endless.repeat(2_000), 999));
    expect(most).toBeLessThanOrEqual(LONGEST_PART + 999);
  }
});

it('leaves out the beginning of a line that could become anything', () => {
  expect(shownOf('Items:\n-')).toBe('Items:');
  expect(shownOf('Items:\n- a')).toBe('Items:\n- a');
  expect(shownOf('text\n\n``')).toBe('text');
  expect(shownOf('**')).toBe('');
});

it('does not cut what comes in two halves', () => {
  const { rows } = streamed(['a\r', '\nb \ud83d', '\ude00']);
  expect(rows).toEqual(['a', 'b 😀']);
});

it('reads a list that ends with a space as one', () => {
  expect(markdownRows('- a\n- b \nc ', room)).toEqual(['<cyan>• </>a', '<cyan>• </>b', '  c']);
});

it('numbers the parts of a list on', () => {
  const { rows } = streamed(['1. a\n', '1. b\n', '1. c\n']);
  expect(rows).toEqual(['<cyan>1. </>a', '<cyan>2. </>b', '<cyan>3. </>c']);
});

const FRAGMENTS = [
  ...[
    '- a\n',
    '1. b\n',
    '  - c\n',
    '   d\n',
    '- [x] ',
    '# e\n',
    '> ',
    '>\n',
    '---\n',
    '===\n',
    '\n',
    '\n\n',
  ],
  ...[
    '```ts\n',
    '```\n',
    '~~~\n',
    '/* f\n',
    '*/\n',
    '    g\n',
    '\t',
    '|h|i|\n',
    '|-|-|\n',
    '|j|\n',
    '|',
  ],
  ...[
    '**',
    '*',
    '_',
    '~~',
    '`',
    '[k](l)',
    '![m](',
    '<div>\n',
    '<!--',
    '<br>',
    '\\',
    '&amp;',
    'word ',
    'word\n',
  ],
  ...['漢字', '😀', '\x1b[2J', '\r', '\r\n', '\u202e', '\ud800', 'http://n.o '],
];

it('gives rows that fit and are safe, whatever comes in whatever pieces', () => {
  const texts = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 50 }), (fragments, size) => {
      const { rows } = streamed(piecesOf(fragments.join(''), size));
      for (const row of rows.map((painted) => painted.replaceAll(/<[a-z]+>|<\/>/g, ''))) {
        expect(textWidth(row)).toBeLessThanOrEqual(room.columns);
        expect(row).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }
    }),
    { numRuns: 200 },
  );
});
