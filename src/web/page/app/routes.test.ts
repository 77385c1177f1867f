import { describe, expect, it } from 'vitest';
import { linkTo, type Route, routeOf } from './routes.ts';

describe('links of the page', () => {
  it.each<Route>([
    { view: 'home' },
    { view: 'timeline', project: 'p1' },
    { view: 'timeline', project: 'p1', filter: 'path:src/a b.ts agent:codex "x & y"#?' },
    { view: 'checkpoint', project: 'p1', id: 'cp_01' },
    { view: 'file', project: 'p1', path: 'src/ä/#?%2F~.ts', line: 12 },
    { view: 'file', project: 'p1', path: '/outside of it/../x' },
    // A name that is not UTF-8, and an emoji, which is.
    { view: 'file', project: 'p1', path: 'caf\udce9/\u{1f600}.txt' },
    { view: 'rewind', project: 'p1', id: 'cp_01', paths: ['a&b', 'c\udcff d'] },
    { view: 'undo', project: 'p1' },
    { view: 'undo', project: 'p1', operation: 'op_1' },
    { view: 'executions', project: 'p1' },
    { view: 'executions', project: 'p1', execution: { kind: 'checkpoints', id: 'a/b' } },
    { view: 'store' },
    { view: 'store', project: 'p/1' },
  ])('lead back to %j', (route) => {
    expect(routeOf(linkTo(route))).toEqual(route);
  });

  it.each(['#/q', '#/p', '#/p//c/x', '#/p/p1/c', '#/p/p1/c/a/b', '#/p/p1/c/%', '#token=abc'])(
    'lead nowhere as %s',
    (hash) => {
      expect(routeOf(hash).view).toBe('unknown');
    },
  );
});
