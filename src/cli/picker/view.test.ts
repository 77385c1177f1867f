import { describe, expect, it } from 'vitest';
import type { CheckpointId, ListedCheckpoint } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { textWidth } from '../../terminal/text-width.ts';
import { entriesOf } from './entries.ts';
import { fitPainted } from './painted.ts';
import { initialState, type PickerState, pressed } from './state.ts';
import { type ScreenRow, type ViewContext, viewOf } from './view.ts';

const plain: Paint = (_style, text) => text;
const HOUR = 3_600_000;
const CONTEXT: ViewContext = {
  now: 0,
  paint: plain,
  diff: [],
  idLength: 4,
  current: null,
  question: null,
};

function state(descriptions: readonly string[], columns = 80, rows = 24): PickerState {
  const checkpoints = descriptions.map((description, n): ListedCheckpoint => {
    return {
      id: `id0${n}aaaa` as CheckpointId,
      seq: n,
      sessionId: 's1',
      messageId: 'm1',
      kind: 'message',
      description,
      label: null,
      createdAt: -n * HOUR,
      gitHead: null,
      coverage: 'named',
      agent: null,
      files: 0,
    };
  });
  return initialState(entriesOf(checkpoints), { columns, rows });
}

/** The rows as a terminal would show them. */
function screen(shown: PickerState, diff: readonly string[] = [], paint = plain): string[] {
  return viewOf(shown, { ...CONTEXT, paint, diff }).map(joined);
}

function joined({ left, right }: ScreenRow): string {
  return right === null ? left : left + ' '.repeat(right.column - textWidth(left)) + right.text;
}

describe('the screen', () => {
  it('shows the timeline on the left and the diff on the right, in 80 columns', () => {
    const rows = screen(state(['Fix the parser', 'Add a test'], 80, 6), ['one', '+two', '-three']);
    expect(rows.map((row) => row.trimEnd())).toMatchInlineSnapshot(`
      [
        "Rewind to: type to filter                                                 2 of 2",
        ">  id00 now  Fix the parser      │ one",
        "   id01 1h   Add a test          │ +two",
        "                                 │ -three",
        "                                 │",
        "Enter rewind  ↑↓ move  Tab scroll the diff  Esc leave",
      ]
    `);
    for (const row of rows) expect(textWidth(row)).toBe(80);
  });

  it.each([
    [-1, 'now'],
    [9, 'now'],
    [10, '10s'],
    [59, '59s'],
    [60, '1m'],
    [3_599, '59m'],
    [3_600, '1h'],
    [86_400, '1d'],
  ])('says of what is %i seconds old: %s', (seconds, shown) => {
    const context = { ...CONTEXT, now: seconds * 1000 };
    const [, row] = viewOf(state(['Fix the parser']), context).map(joined);
    expect(row).toMatch(new RegExp(`^>  id00 ${shown} +Fix the parser`));
  });

  it('marks where the files stand', () => {
    const shown = state(['Fix the parser', 'Add a test']);
    const rows = viewOf(shown, { ...CONTEXT, current: 'id01aaaa' as CheckpointId }).map(joined);
    expect(rows[1]).toMatch(/^> {2}id00 /);
    expect(rows[2]).toMatch(/^ @ id01 /);
  });

  it('asks at the bottom', () => {
    const rows = viewOf(state(['Fix the parser']), { ...CONTEXT, question: 'Rewind? y/N' });
    expect(rows.map(joined).at(-1)).toBe('Rewind? y/N'.padEnd(80));
  });

  it('shows the list alone where there is no room for both', () => {
    const rows = screen(state(['Fix the parser', 'Add a test'], 40, 5), ['the diff']);
    expect(rows.map((row) => row.trimEnd())).toMatchInlineSnapshot(`
      [
        "Rewind to: type to filter         2 of 2",
        ">  id00 now  Fix the parser",
        "   id01 1h   Add a test",
        "",
        "Enter rewind  ↑↓ move  Esc leave",
      ]
    `);
  });

  it.each([
    [80, 24],
    [60, 5],
    [59, 10],
    [20, 3],
    [5, 2],
    [1, 1],
    [300, 100],
  ])('fills %i columns and %i rows exactly', (columns, rows) => {
    const names = [
      '修复解析器并添加测试用例和文档',
      '👩‍💻👩‍💻👩‍💻 emoji '.repeat(20),
      'cafe\u0301 '.repeat(50),
      'x'.repeat(5000),
    ];
    const diff = ['+\t深い'.repeat(60), 'y'.repeat(1000)];
    const typed = pressed(state(names, columns, rows), { name: 'text', text: ' ' }, 0).state;
    const shown = screen(typed, diff);
    expect(shown).toHaveLength(rows);
    for (const row of shown) expect(textWidth(row)).toBe(columns);
  });

  it('shows the end of a long filter, and how many it finds', () => {
    const text = `m${'x'.repeat(200)}测试`;
    const [head = ''] = screen(pressed(state(['message']), { name: 'text', text }, 0).state);
    expect(head).toMatch(/^Rewind to: x+测试▏ 0 of 1$/);
    expect(textWidth(head)).toBe(80);
  });

  it('lets no name steer the terminal', () => {
    const evil = 'a\x1b[2J\x1b]0;title\x07\u202eb\nc';
    const typed = pressed(state([evil]), { name: 'text', text: 'a\u202e' }, 0).state;
    for (const row of screen(typed)) expect(row).not.toMatch(/[\x00-\x1f\x7f\u202e]/);
  });

  it('scrolls both halves by themselves', () => {
    const scrolled = {
      ...state(['a', 'b', 'c', 'd', 'e'], 80, 4),
      top: 2,
      selected: 3,
      diffTop: 1,
    };
    const rows = screen(scrolled, ['one', 'two', 'three', 'four']);
    expect(rows[1]).toMatch(/^ {3}id02 2h {3}c +│ two +$/);
    expect(rows[2]).toMatch(/^> {2}id03 3h {3}d +│ three +$/);
  });
});

describe('a coloured line that has to fit', () => {
  const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;

  it('is cut by what is seen, and ends its colours', () => {
    expect(fitPainted(red('long text'), 5)).toBe('\x1b[31mlong…\x1b[39m\x1b[0m');
    expect(fitPainted(red('ab'), 5)).toBe('\x1b[31mab\x1b[39m   \x1b[0m');
    expect(fitPainted(`${red('abcde')}f`, 5)).toBe('\x1b[31mabcd…\x1b[39m\x1b[0m');
    expect(fitPainted(red('日本語'), 4)).toBe('\x1b[31m日…\x1b[39m \x1b[0m');
  });

  it('stays plain when it is plain', () => {
    expect(fitPainted('a\tb', 8)).toBe('a    b  ');
    expect(fitPainted('日本語', 6)).toBe('日本語');
    expect(fitPainted('', 0)).toBe('');
  });
});
