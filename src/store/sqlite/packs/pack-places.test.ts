import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { BlobId } from '../../../model/ids.ts';
import type { Place } from './pack-index.ts';
import { PackPlaces } from './pack-places.ts';

const COUNT = 5_000;

function idOf(number: number): BlobId {
  return hash('sha256', `dummy ${number}`) as BlobId;
}

function placeOf(number: number): Place {
  return { frame: number >> 4, offset: number * 7, length: number };
}

it('tells the place of each of many blobs, in the order of their hashes', () => {
  const places = new PackPlaces();
  for (let number = 0; number < COUNT; number += 1) places.add(idOf(number), placeOf(number));
  const numbers = Array.from({ length: COUNT }, (_, number) => number);
  const expected = numbers.map((number) => [idOf(number), placeOf(number)] as const);
  expected.sort(([a], [b]) => (a < b ? -1 : 1));
  const found = [...places].map(({ hash: own, place }) => [own.toString('hex'), place]);
  expect(found).toEqual(expected);
  expect(places.size).toBe(COUNT);
});

it('knows what it holds, and nothing else', () => {
  const places = new PackPlaces();
  for (let number = 0; number < COUNT; number += 1) {
    expect(places.has(idOf(number))).toBe(false);
    places.add(idOf(number), placeOf(number));
    expect(places.has(idOf(number))).toBe(true);
  }
  expect(places.has(idOf(-1))).toBe(false);
  expect(places.has(idOf(0))).toBe(true);
});

// One that is said to be there already is not stored: whichever comes when the table is full must be new.
it.each(Array.from({ length: 16 }, (_, at) => at))(
  'takes in blob %i where it has to grow',
  (at) => {
    const places = new PackPlaces();
    for (let number = 0; number < 1024; number += 1) places.add(idOf(number), placeOf(number));
    expect(places.has(idOf(10_000 + at))).toBe(false);
  },
);

it('leaves a blob where it was first', () => {
  const places = new PackPlaces();
  places.add(idOf(1), placeOf(1));
  places.add(idOf(1), placeOf(2));
  expect([...places].map(({ place }) => place)).toEqual([placeOf(1)]);
});

it('tells hashes apart that begin alike', () => {
  const alike = ['02', '01', '03'].map((end) => `${'ab'.repeat(31)}${end}` as BlobId);
  const places = new PackPlaces();
  for (const [number, id] of alike.entries()) places.add(id, placeOf(number));
  const found = [...places].map(({ hash: own }) => own.toString('hex'));
  expect(found).toEqual(alike.toSorted());
});
