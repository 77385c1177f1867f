import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readableRows } from './readable-rows.ts';

const PAGE = 4096;
const ROWS = 400;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-rows-'));
  file = join(folder, 'some.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fill(numberOf: (n: number) => number, textOf: (n: number) => string = short): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA page_size = 4096; CREATE TABLE changes (seq INTEGER PRIMARY KEY, t TEXT)');
  const insert = database.prepare('INSERT INTO changes VALUES (?, ?)');
  database.exec('BEGIN');
  for (let n = 1; n <= ROWS; n += 1) insert.run(numberOf(n), textOf(n));
  database.exec('COMMIT');
  database.close();
}

function short(n: number): string {
  return `${n}:`.padEnd(100, '.');
}

/** Breaks the page in which a text begins. */
function breakPageAt(text: string): void {
  const bytes = readFileSync(file);
  const page = Math.floor(bytes.indexOf(text) / PAGE);
  writeFileSync(file, bytes.fill(0x55, page * PAGE, (page + 1) * PAGE));
}

function read(): { numbers: number[]; gaps: number } {
  const source = new DatabaseSync(file, { readOnly: true });
  let gaps = 0;
  const rows = [...readableRows(source, 'changes', () => (gaps += 1))];
  source.close();
  return { numbers: rows.map(({ seq }) => Number(seq)).sort((a, b) => a - b), gaps };
}

it('reads every row of a whole table once, and finds no gap', () => {
  fill((n) => n * 7);
  const { numbers, gaps } = read();
  expect(numbers).toEqual(Array.from({ length: ROWS }, (_, n) => (n + 1) * 7));
  expect(gaps).toBe(0);
});

it.each([1, 7, 1000])('loses the rows of a broken page alone, with numbers %i apart', (each) => {
  fill((n) => n * each);
  breakPageAt('200:');
  const { numbers, gaps } = read();
  expect(gaps).toBeGreaterThan(0);
  expect(new Set(numbers).size).toBe(numbers.length);
  const lost = Array.from({ length: ROWS }, (_, n) => n + 1).filter(
    (n) => !numbers.includes(n * each),
  );
  expect(lost).toContain(200);
  // A page has room for fewer than 41 of them, and they lie side by side.
  expect(lost.length).toBeLessThan(41);
  expect((lost.at(-1) ?? 0) - (lost[0] ?? 0)).toBe(lost.length - 1);
});

it('loses single rows alone where bytes beyond their pages are broken', () => {
  // After a wide gap, where a jump would go far beyond them.
  const numberOf = (n: number): number => (n < 200 ? n : 100_000 + n);
  const long = new Map([200, 203].map((n) => [n, String(n % 10).repeat(9_000)]));
  fill(numberOf, (n) => long.get(n) ?? short(n));
  for (const text of long.values()) breakPageAt(text.slice(0, 4_000));
  const { numbers } = read();
  const kept = Array.from({ length: ROWS }, (_, n) => n + 1).filter((n) => !long.has(n));
  expect(numbers).toEqual(kept.map(numberOf));
});
