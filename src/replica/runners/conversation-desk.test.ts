import { expect, it } from 'vitest';
import { RewoundNotice } from './conversation-desk.ts';

const named = (...paths: string[]) => [
  expect.stringMatching(new RegExp(`:\n${paths.join('\n')}$`)),
];

it('tells of each rewound file once', () => {
  const notice = new RewoundNotice();
  expect(notice.tellWith('p1', ['a', 'b', 'a'])).toEqual(named('a', 'b'));
  expect(notice.tellWith('p2', [])).toEqual([]);
});

it('tells again what was said with a prompt that was taken back', () => {
  const notice = new RewoundNotice();
  notice.tellWith('p1', ['a']);
  notice.tellWith('p2', ['b']);
  notice.takenBack(['p2', 'p3']);
  expect(notice.tellWith('p4', ['c'])).toEqual(named('b', 'c'));
  expect(notice.tellWith('p5', [])).toEqual([]);
});
