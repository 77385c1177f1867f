import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { expect, it } from 'vitest';
import { homeDirectory } from './io.ts';

it('takes HOME where that is a whole path', () => {
  expect(homeDirectory({ HOME: '/home/somebody' })).toBe('/home/somebody');
});

it.each([undefined, '', '.', 'somewhere'])('never takes the current folder for HOME=%j', (HOME) => {
  expect(homeDirectory({ HOME })).toBe(userInfo().homedir);
  expect(isAbsolute(homeDirectory({ HOME }))).toBe(true);
});
