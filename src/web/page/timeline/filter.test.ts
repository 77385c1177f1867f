import { describe, expect, it } from 'vitest';
import { parseFilter, toggled } from './filter.ts';

const NOON = new Date('2026-05-10T12:00').getTime();
const at = (time: string) => new Date(time).toISOString();

describe('the filter of the timeline', () => {
  it.each([
    ['', {}],
    ['fix login', { text: 'fix login' }],
    ['path:src/ fix', { path: 'src/', text: 'fix' }],
    ['path:"a b/c.ts"', { path: 'a b/c.ts' }],
    ['agent:codex agent:pi', { agent: ['codex', 'pi'] }],
    ['kind:save kind:nothing', { kind: ['manual'] }],
    ['https://example.com', { text: 'https://example.com' }],
    ['since:today', { since: at('2026-05-10T00:00') }],
    ['until:2026-05-09', { until: at('2026-05-09T23:59:59.999') }],
    ['since:2h', { since: at('2026-05-10T10:00') }],
    // Still being typed.
    ['fix since:2026-0', { text: 'fix' }],
  ])('understands %j', (typed, filter) => {
    expect(parseFilter(typed, NOON)).toEqual(filter);
  });

  it('adds a word, and takes it away again', () => {
    expect(toggled('fix', 'agent:pi')).toBe('fix agent:pi');
    expect(toggled('fix agent:pi', 'agent:pi')).toBe('fix');
  });
});
