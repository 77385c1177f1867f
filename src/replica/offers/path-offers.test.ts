import { expect, it } from 'vitest';
import { PathOffers } from './path-offers.ts';

const texts = (offers: PathOffers, text: string): string[] =>
  offers.complete(text).map((one) => one.text);

it('offers paths as the SDK reads them, and none that a terminal or the SDK would misread', async () => {
  let changes = 0;
  const hostile = [
    'a\u001b[2J.txt',
    'new\nline.txt',
    'quo"te.txt',
    'bidi\u202e.txt',
    'a b/',
    'a b/c.txt',
  ];
  const offers = new PathOffers({ list: async () => hostile, onChange: () => (changes += 1) });
  expect(texts(offers, '@')).toEqual([]);
  await expect.poll(() => changes).toBe(1);
  expect(texts(offers, '@')).toEqual(['@"a b/', '@"a b/c.txt"']);
  expect(texts(offers, '@"a b/')).toEqual(['@"a b/c.txt"']);
});

it('offers nothing for a path that is whole, and looks at the disk again after a while', async () => {
  const asked: boolean[] = [];
  let now = 0;
  const list = async (again: boolean) => {
    asked.push(again);
    return ['a.txt', 'data.txt'];
  };
  const offers = new PathOffers({ list, onChange: () => undefined, now: () => now });
  await offers.load();
  expect(texts(offers, '@a.txt')).toEqual([]);
  expect(texts(offers, '@a')).toEqual(['@a.txt', '@data.txt']);
  now = 10_000;
  texts(offers, '@a');
  expect(asked).toEqual([false, true]);
});
