import { expect, it } from 'vitest';
import { sealOf } from '../seal.ts';
import { SEALED_COLUMNS } from './schema.ts';
import { sealSql } from './seals.ts';

it('tells every bit of a number, a text and bytes', () => {
  const seen = new Set<number>();
  const values: unknown[] = [null, '', new Uint8Array(0), 0, 1.5];
  for (let bit = 0; bit < 53; bit += 1) values.push(2 ** bit, -(2 ** bit));
  for (let bit = 0; bit < 16; bit += 1) values.push(String.fromCharCode(1 << bit));
  for (let bit = 0; bit < 8; bit += 1) values.push(Uint8Array.of(1 << bit));
  for (const value of values) seen.add(sealOf('a', value, 'b'));
  expect(seen.size).toBe(values.length);
});

it('tells where one value ends and the next begins, and which comes first', () => {
  const seals = [
    sealOf('ab', 'c'),
    sealOf('a', 'bc'),
    sealOf('c', 'ab'),
    sealOf('abc', ''),
    sealOf('', 'abc'),
    sealOf('abc'),
    sealOf(1, null),
    sealOf(null, 1),
  ];
  expect(new Set(seals).size).toBe(seals.length);
});

it('fits into three bytes of a row', () => {
  for (let turn = 0; turn < 1_000; turn += 1) {
    const seal = sealOf(turn, `text ${turn}`);
    expect(seal >= 0 && seal <= 0x7fffff).toBe(true);
  }
});

it('covers the columns in their order, with others in place of those that are written', () => {
  expect(sealSql('heads', { mode: '?1' })).toBe('seal_of(path, seq, open, ?1, blob)');
  expect(SEALED_COLUMNS.changes).toHaveLength(16);
});
