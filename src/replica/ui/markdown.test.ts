import { beforeAll, describe, expect, it } from 'vitest';
import { paintFor } from '../../terminal/paint.ts';
import { textWidth } from '../../terminal/text-width.ts';
import { loadHighlighter } from './code-highlight.ts';
import { markdownRows } from './markdown.ts';

const plain = (_style: string, text: string): string => text;
const rows = (text: string, columns = 40): string[] =>
  markdownRows(text, { columns, paint: plain });
/** Each style as a tag. */
const tagged = (text: string): string[] =>
  markdownRows(text, { columns: 80, paint: (style, part) => `<${style}>${part}</>` });

beforeAll(loadHighlighter);

describe('Markdown in rows', () => {
  it('puts a blank row between blocks, and none around them', () => {
    expect(rows('\n# One\ntext\n\n\nmore\n***\n')).toEqual([
      ...['One', '', 'text', '', 'more', '', '─'.repeat(40)],
    ]);
    expect(rows(' \n')).toEqual([]);
  });

  it('shows how things are said', () => {
    expect(tagged('**a** *b* ~~c~~ `d*` \\*e\\* &lt;')).toEqual([
      '<bold>a</> <italic>b</> <strikethrough>c</> <cyan>d*</> *e* <',
    ]);
    expect(tagged('**a *b***')).toEqual(['<bold>a </><bold><italic>b</></>']);
    expect(tagged('# a\n## b')).toEqual(['<bold><underline>a</></>', '', '<bold>b</>']);
  });

  it.each([
    ['[docs](https://a.org/x)', ['docs (https://a.org/x)']],
    ['[https://a.org](https://b.org)', ['https://a.org (https://b.org)']],
    ['[b.org](https://evil.org/b.org)', ['b.org (https://evil.org/b.org)']],
    ['see https://a.org/x now', ['see https://a.org/x now']],
    ['<me@a.org>', ['me@a.org']],
    ['![a cat](cat.png)', ['a cat (cat.png)']],
    ['[text][1]\n\n[1]: https://a.org', ['text][1]', '', '[1]: https://a.org']],
  ])('says where %j goes', (text, expected) => {
    expect(rows(text).map((row) => row.replace(/^\[text/, 'text'))).toEqual(expected);
  });

  it('indents lists below their signs', () => {
    const list =
      '- one is long enough to be wrapped to two rows\n  - two\n    1. three\n\n9. x\n10. y';
    expect(rows(list)).toEqual([
      '• one is long enough to be wrapped to',
      '  two rows',
      '  ◦ two',
      '    1. three',
      '',
      ...['9. x', '10. y'],
    ]);
    expect(rows('- [x] done\n- [ ] open\n\n- apart\n')).toEqual([
      ...['[x] done', '[ ] open', '', '• apart'],
    ]);
    expect(rows('1. a\n\n   b\n\n   ```\n   c\n   ```\n')).toEqual([
      ...['1. a', '', '   b', '', '     c'],
    ]);
  });

  it('draws a line beside quotes', () => {
    expect(rows('> a\n> b\n>> c')).toEqual(['│ a', '│ b', '│ ', '│ │ c']);
  });

  it('keeps the line breaks of a paragraph, and those in HTML', () => {
    expect(rows('one\ntwo<br>three')).toEqual(['one', 'two', 'three']);
    expect(rows('a <b>c</b>')).toEqual(['a <b>c</b>']);
  });

  const TABLE =
    '| Name | Count | About |\n|:--|--:|:-:|\n| 漢字 | 1 | x |\n| b | 1000 | `y\\|z` |\n';

  it('draws tables in columns, wide characters counted as such', () => {
    expect(rows(TABLE)).toEqual([
      ...['Name │ Count │ About', '─────┼───────┼──────', '漢字 │     1 │   x'],
      'b    │  1000 │  y|z',
    ]);
  });

  it('wraps the cells of a table that is too wide, and lists them where there is no room at all', () => {
    const wide = '|a|b|\n|-|-|\n|one two three four five six|seven eight nine ten eleven|\n';
    expect(rows(wide, 30)).toEqual([
      ...['a             │ b', '──────────────┼──────────────'],
      ...['one two three │ seven eight', 'four five six │ nine ten', '              │ eleven'],
    ]);
    expect(rows(`${wide}|x|y|\n`, 30).slice(-2)).toEqual([
      ...['──────────────┼──────────────', 'x             │ y'],
    ]);
    expect(rows(wide, 14)).toEqual([
      ...[
        'a: one two',
        'three four',
        'five six',
        'b: seven eight',
        'nine ten',
        'eleven',
        '────────',
      ],
    ]);
  });

  it('colours code by its language, over the ends of lines', () => {
    expect(tagged('```ts\n/* a\nb */ const x = 1;\n```')).toEqual([
      '  <dim>/* a</>',
      '  <dim>b */</> <magenta>const</> x = <yellow>1</>;',
    ]);
    expect(tagged('```\nconst\n\n\tx < y\n```\n')).toEqual(['  const', '', '      x < y']);
    expect(tagged('```nonsense\nif <a> &amp;\n')).toEqual(['  if <a> &amp;']);
  });

  it('shows control characters and never sends them', () => {
    const hostile =
      'a\x1b[2J **b\x07** `c\x9b` [d](http://e\x1b]8;;x)\r\n```js\n\x1b[H"\u202e"\n```\rx\ud800';
    const painted = markdownRows(hostile, {
      columns: 60,
      paint: paintFor({ env: {}, terminal: true }, false),
    });
    const text = painted.join('\n').replaceAll(/\x1b\[\d+m/g, '');
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]/);
    for (const shown of ['a\\x1b[2J', 'b\\x07', 'c\\x9b', '\\u{202e}'])
      expect(text).toContain(shown);
  });
});

const HOSTILE: readonly (readonly [string, string])[] = [
  ['a line of 1 MB', 'x'.repeat(1_000_000)],
  ['a line of 1 MB with spaces', 'word *and* `code` '.repeat(60_000)],
  ['a line of Chinese', '中文字符'.repeat(50_000)],
  ['a fence that never ends', `\`\`\`ts\n${'const a = `b`; /* \n'.repeat(20_000)}`],
  ['a fence with one line of 1 MB', `\`\`\`js\n${'"x",'.repeat(250_000)}`],
  ['a fence with a name of 1 MB', `\`\`\`${'js '.repeat(300_000)}\nx\n`],
  ['quotes in quotes', '> '.repeat(100_000)],
  ['lists in lists', '- '.repeat(100_000)],
  ['lists by indent', Array.from({ length: 400 }, (_, i) => `${'  '.repeat(i)}- a`).join('\n')],
  ['stars', '*'.repeat(300_000)],
  ['brackets', '[a]('.repeat(100_000)],
  ['a huge table', `|a|b|\n|-|-|\n${'|one *two*|three|\n'.repeat(8_000)}`],
  ['a table with a row of 1 MB', `|a|b|\n|-|-|\n|${'x|'.repeat(500_000)}\n`],
  ['blank lines between words', `a${'\n'.repeat(7_900)}b\n`.repeat(20)],
  ['a table with many columns', `${'|a'.repeat(5_000)}|\n${'|-'.repeat(5_000)}|\n|b|\n`],
  ['numbers that are all alike', '1. a\n'.repeat(10_000)],
  ['tags', '<a '.repeat(100_000)],
  ['a comment that never ends', `<!--${'\n\nx'.repeat(50_000)}`],
  ['newlines', '\n'.repeat(1_000_000)],
];

it.each(HOSTILE)('takes %s, in rows that fit', (_what, text) => {
  expect(rows(text, 60).filter((row) => textWidth(row) > 60)).toEqual([]);
});
