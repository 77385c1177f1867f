import { expect, it } from 'vitest';
import { Recent } from './packer.ts';

it('forgets what was not used for the longest time', () => {
  const recent = new Recent<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.get('a');
  recent.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([1, undefined, 3]);
});

it('keeps no more than so many characters alive, and always the last one', () => {
  const recent = new Recent<number>(10, 6);
  recent.set('aaa', 1);
  recent.set('bbb', 2);
  recent.set('bbb', 3);
  expect([recent.get('aaa'), recent.get('bbb')]).toEqual([1, 3]);
  recent.set('c', 4);
  expect([recent.get('aaa'), recent.get('bbb'), recent.get('c')]).toEqual([undefined, 3, 4]);
  recent.set('much too long', 5);
  expect([recent.get('bbb'), recent.get('c'), recent.get('much too long')]).toEqual([
    undefined,
    undefined,
    5,
  ]);
  recent.set('d', 6);
  expect([recent.get('much too long'), recent.get('d')]).toEqual([undefined, 6]);
});
