import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Paint } from '../paint.ts';
import { textWidth } from '../text-width.ts';
import { type Chooser, chooserOf, pressed } from './chooser.ts';
import { type ChooserRoom, chooserRows, chooserView } from './chooser-rows.ts';
import { EMPTY_FIELD } from './text-field.ts';

const plain: Paint = (_style, text) => text;

function filtering(names: readonly string[], body: readonly string[] = []): Chooser<string> {
  const options = names.map((name, i) => ({
    value: name,
    label: `id0${i}`,
    search: name,
    rows: () => [name],
  }));
  const filter = EMPTY_FIELD;
  return chooserOf({ title: 'Rewind to', options, filter, body: () => body, bodyIs: 'beside' });
}

/** The rows as a terminal would show them. */
function screen(chooser: Chooser<unknown>, room: Omit<ChooserRoom, 'now'>): string[] {
  const rows = chooserRows(chooser, { ...room, now: 0 }, plain);
  return rows.map((row) => {
    const [left = '', column, right] = row.split(/\x1b\[(\d+)G/);
    const text = right === undefined ? left : padTo(left, Number(column) - 1) + right;
    return stripVTControlCharacters(text);
  });
}

function padTo(text: string, columns: number): string {
  return text + ' '.repeat(columns - textWidth(text));
}

function typing<Value>(chooser: Chooser<Value>, text: string): Chooser<Value> {
  const view = { bodyRows: 0, bodyRoom: 0, listRoom: 1 };
  return pressed(chooser, { name: 'text', text }, view).chooser;
}

describe('a list with a body beside it', () => {
  it('shows the list on the left and the body on the right, in 80 columns', () => {
    const chooser = filtering(['Fix the parser', 'Add a test'], ['one', '+two', '-three']);
    const rows = screen(chooser, { columns: 80, rows: 6 });
    expect(rows.map((row) => row.trimEnd())).toMatchInlineSnapshot(`
      [
        "Rewind to: type to filter                                                 2 of 2",
        "❯ id00  Fix the parser           │ one",
        "  id01  Add a test               │ +two",
        "                                 │ -three",
        "                                 │",
        "Enter chooses · ↑↓ moves · Tab scrolls the diff · Esc leaves",
      ]
    `);
  });

  it('shows the list alone where there is no room for both', () => {
    const chooser = filtering(['Fix the parser', 'Add a test'], ['the diff']);
    expect(screen(chooser, { columns: 40, rows: 5 })).toMatchInlineSnapshot(`
      [
        "Rewind to: type to filter         2 of 2",
        "❯ id00  Fix the parser",
        "  id01  Add a test",
        "",
        "Enter chooses · ↑↓ moves · Esc leaves",
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
  ])('keeps to %i columns and %i rows', (columns, rows) => {
    const names = [
      '修复解析器并添加测试用例和文档',
      '👩‍💻👩‍💻👩‍💻 emoji '.repeat(20),
      'cafe\u0301 '.repeat(50),
      'x'.repeat(5000),
    ];
    const body = ['+\t深い'.repeat(60), 'y'.repeat(1000)];
    const shown = screen(typing(filtering(names, body), ' '), { columns, rows });
    expect(shown).toHaveLength(rows);
    for (const row of shown) expect(textWidth(row)).toBeLessThanOrEqual(columns);
  });

  it('shows the end of a long filter, and how many it finds', () => {
    const text = `m${'x'.repeat(200)}测试`;
    const [head = ''] = screen(typing(filtering(['message']), text), { columns: 80, rows: 9 });
    expect(head).toMatch(/^Rewind to: …x+测试▏ 0 of 1$/);
    expect(textWidth(head)).toBe(80);
  });

  it('lets nothing that is typed steer the terminal', () => {
    const rows = screen(typing(filtering(['a']), 'a\u202e'), { columns: 80, rows: 9 });
    for (const row of rows) expect(row).not.toMatch(/[\x00-\x1f\x7f\u202e]/);
  });

  it('scrolls both halves by themselves', () => {
    const chooser = filtering(['a', 'b', 'c', 'd', 'e'], ['one', 'two', 'three', 'four']);
    const rows = screen({ ...chooser, selected: 3, bodyTop: 1 }, { columns: 80, rows: 5 });
    expect(rows[1]).toMatch(/^ {2}id02 {2}c +│ two$/);
    expect(rows[2]).toMatch(/^❯ id03 {2}d +│ three$/);
  });

  it('has a question in the last row where there is one', () => {
    const bottom = 'Rewind? y/N';
    const rows = screen(filtering(['a']), { columns: 80, rows: 4, bottom });
    expect(rows.at(-1)).toBe(bottom);
  });
});

describe('answers with a body above them', () => {
  const body = Array.from({ length: 40 }, (_, i) => `+ ${i + 1}`);
  const options = ['files', 'both'].map((value, i) => ({
    value,
    label: String(i + 1),
    rows: () => [value],
  }));
  const chooser = chooserOf({ title: 'Rewind to: x', options, body: () => body });

  it('leave the body the rest of the rows, and say how much of it is seen', () => {
    const room = { columns: 80, rows: 10, now: 0 };
    expect(chooserView(chooser, room)).toEqual({ bodyRows: 40, bodyRoom: 6, listRoom: 2 });
    const shown = screen({ ...chooser, bodyTop: 30 }, room);
    expect(shown).toEqual([
      'Rewind to: x',
      ...body.slice(30, 36),
      '❯ 1  files',
      '  2  both',
      'lines 31–36 of 40, ↓ reads on · 1 2 or Tab · Esc leaves',
    ]);
    expect(screen({ ...chooser, bodyTop: 34 }, room).at(-1)).toBe(
      'lines 35–40 of 40 · 1 2 or ↑↓ Enter · 0 or Esc leaves',
    );
  });

  it.each([
    [80, 22],
    [40, 8],
    [20, 4],
    [10, 2],
  ])('keep within %i columns and %i rows, with what is selected', (columns, rows) => {
    const many = Array.from({ length: 300 }, (_, i) => ({
      value: i,
      label: String(i + 1),
      rows: () => ['name', 'and what it is'],
    }));
    for (const selected of [0, 140, 299]) {
      const shown = screen(chooserOf({ title: 'Which?', options: many, selected }), {
        columns,
        rows,
      });
      expect(shown.length).toBeLessThanOrEqual(rows);
      if (rows > 2) expect(shown.join('\n')).toContain(`❯ ${String(selected + 1).padStart(3)}`);
    }
  });
});
