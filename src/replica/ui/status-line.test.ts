import { describe, expect, it } from 'vitest';
import { textWidth } from '../../terminal/text-width.ts';
import { type StatusShown, statusText } from './status-line.ts';

const FULL: StatusShown = {
  folder: '~/code/shop',
  branch: 'feature/checkout',
  model: 'claude-sonnet-4-5-20250929',
  permissionMode: 'acceptEdits',
  context: { tokens: 24_000, window: 200_000 },
  costUSD: 0.4249,
  wayBack: { changes: '2 files +14 -3' },
};

describe('the status line', () => {
  it('says all of it where there is room', () => {
    expect(statusText(FULL, 160)).toBe(
      '~/code/shop · feature/checkout · claude-sonnet-4-5-20250929 · edits pass (Shift-Tab) · 12% of context · $0.42 · Esc Esc rewinds 2 files +14 -3 · ? for keys',
    );
  });

  it.each([
    [
      120,
      'shop · feature/checkout · sonnet-4-5 · edits pass · 12% of context · $0.42 · Esc Esc rewinds 2 files +14 -3 · ? for keys',
    ],
    [80, 'sonnet-4-5 · edits pass · 12% context · $0.42 · Esc Esc rewinds 2 files +14 -3'],
    [60, 'edits pass · 12% context · Esc Esc rewinds 2 files +14 -3'],
    [30, 'Esc Esc rewinds 2 files +14 -3'],
  ])('leaves out what matters less at %d columns', (columns, shown) => {
    expect(statusText(FULL, columns)).toBe(shown);
    expect(textWidth(shown)).toBeLessThanOrEqual(columns);
  });

  it('invents nothing that nobody told', () => {
    const bare = { ...FULL, branch: null, context: null, costUSD: null, wayBack: null };
    expect(statusText({ ...bare, permissionMode: 'default' }, 120)).toBe(
      '~/code/shop · claude-sonnet-4-5-20250929 · asks first (Shift-Tab) · ? for keys',
    );
  });

  it('shows control characters in names instead of passing them on', () => {
    const shown = statusText({ ...FULL, branch: 'a\x1b[2Jb', folder: 'x\n/y' }, 200);
    expect(shown).not.toMatch(/[\x00-\x1f]/);
  });
});
