import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connection } from '../connection.ts';
import { type CopiedTable, copyTable } from './copy-rows.ts';

const PAGE = 4096;
const ROWS = 400;
const TABLE = 'CREATE TABLE changes (seq INTEGER PRIMARY KEY, number INTEGER, text TEXT, seal)';
const INDEX = 'CREATE INDEX by_number ON changes(number)';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-rows-'));
  file = join(folder, 'some.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fill(definitions: string, textOf: (n: number) => string = short): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA page_size = ${PAGE}; ${definitions}`);
  const insert = database.prepare('INSERT INTO changes (seq, number, text) VALUES (?, ?, ?)');
  database.exec('BEGIN');
  for (let n = 1; n <= ROWS; n += 1) insert.run(n * 7, n, textOf(n));
  database.exec('COMMIT');
  database.close();
}

function short(n: number): string {
  return `${n}:`.padEnd(100, '.');
}

function breakPageWith(text: string): void {
  const bytes = readFileSync(file);
  const page = Math.floor(bytes.indexOf(text) / PAGE);
  writeFileSync(file, bytes.fill(0x55, page * PAGE, (page + 1) * PAGE));
}

function copy(definitions: string): CopiedTable & { readonly lost: number[] } {
  const source = new DatabaseSync(file, { readOnly: true });
  const target = Connection.bare(':memory:');
  target.exec(definitions);
  const copied = copyTable(target, source, 'changes');
  const rows = target.all<{ number: number; text: string }>('SELECT number, text FROM changes');
  target.close();
  source.close();
  const numbers = new Set(rows.map(({ number }) => number));
  const all = Array.from({ length: ROWS }, (_, n) => n + 1);
  return { ...copied, lost: all.filter((n) => !numbers.has(n)) };
}

it('copies every row of a table that is whole', () => {
  fill(TABLE);
  expect(copy(TABLE)).toMatchObject({ kept: ROWS, known: ROWS, isComplete: true, lost: [] });
});

it('loses the rows of a broken page alone, which the table can be read around', () => {
  fill(TABLE);
  breakPageWith('200:');
  const { lost, isComplete } = copy(TABLE);
  expect(isComplete).toBe(false);
  expect(lost).toContain(200);
  // A page has room for fewer than 41 of them, and they lie side by side.
  expect(lost.length).toBeLessThan(41);
  expect((lost.at(-1) ?? 0) - (lost[0] ?? 0)).toBe(lost.length - 1);
});

it('finds the rows between two broken pages by an index, and says how many are lost', () => {
  const definitions = `${TABLE}; ${INDEX}`;
  fill(definitions);
  for (const text of ['100:', '300:']) breakPageWith(text);
  const { lost, known, kept } = copy(definitions);
  expect([known, kept]).toEqual([ROWS, ROWS - lost.length]);
  expect(lost).not.toContain(200);
  expect(lost.length).toBeLessThan(81);
});

it('loses single rows alone where bytes outside of their pages are broken', () => {
  const long = new Map([200, 203].map((n) => [n, String(n % 10).repeat(9_000)]));
  fill(TABLE, (n) => long.get(n) ?? short(n));
  for (const text of long.values()) breakPageWith(text.slice(0, 4_000));
  expect(copy(TABLE)).toMatchObject({ lost: [200, 203], known: ROWS, isComplete: false });
});
