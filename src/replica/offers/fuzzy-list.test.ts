import { expect, it } from 'vitest';
import { FuzzyList } from './fuzzy-list.ts';

const PATHS = [
  'README.md',
  'docs/',
  'docs/rewind.md',
  'src/',
  'src/replica/',
  'src/replica/runners/rewind-flow.ts',
  'src/replica/runners/rewind-flow.test.ts',
  'src/index.ts',
  'test/index.test.ts',
];

it('finds by letters in their order, names before folders, short before long', () => {
  const list = new FuzzyList(PATHS);
  expect(list.best('rfl')[0]).toBe('src/replica/runners/rewind-flow.ts');
  expect(list.best('index')).toEqual(['src/index.ts', 'test/index.test.ts']);
  expect(list.best('READ')[0]).toBe('README.md');
  expect(list.best('zzz')).toEqual([]);
});

it('shows what is at the top first, and what is in a folder when its name is whole', () => {
  const list = new FuzzyList(PATHS);
  expect(list.best('').slice(0, 3)).toEqual(['src/', 'docs/', 'README.md']);
  expect(list.best('src/').slice(0, 3)).toEqual(['src/', 'src/replica/', 'src/index.ts']);
});

it('finds the same, whatever was looked for before', () => {
  const list = new FuzzyList(PATHS);
  for (const query of ['r', 're', 'rew', 're', 's', 'src/i', '', 'md']) {
    expect(list.best(query)).toEqual(new FuzzyList(PATHS).best(query));
  }
});
