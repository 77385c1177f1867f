import { expect, it } from 'vitest';
import { beside } from './beside.ts';

const label = { text: '  restore   till.mjs  ', width: 22 };

it('puts prose beside its label, in a column of its own', () => {
  expect(beside(label, 'goes back to how it was', 80)).toEqual([
    '  restore   till.mjs  goes back to how it was',
  ]);
  expect(beside(label, 'left as it is: somebody else changed the same lines since', 50)).toEqual([
    '  restore   till.mjs  left as it is: somebody else',
    '                      changed the same lines since',
  ]);
});

it('puts it below where that column would be too narrow', () => {
  expect(beside(label, 'goes back to how it was', 40)).toEqual([
    '  restore   till.mjs',
    '      goes back to how it was',
  ]);
  expect(beside(label, 'stays', 40)).toEqual(['  restore   till.mjs  stays']);
});

it('paints each line of the prose, and nothing else', () => {
  const bold = (text: string) => `<${text}>`;
  expect(beside({ text: 'a  ', width: 3 }, 'one two three four five six', 30, bold)).toEqual([
    'a  <one two three four five six>',
  ]);
  expect(beside({ text: 'a  ', width: 3 }, 'one two three four five six', 28, bold)).toEqual([
    'a  <one two three four five>',
    '   <six>',
  ]);
});
