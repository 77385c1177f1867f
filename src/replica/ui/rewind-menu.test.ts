import { expect, it, vi } from 'vitest';
import { type Chooser, chooserOf } from '../../terminal/interactive/chooser.ts';
import type { EntryCounts, RewindEntry } from './interactive-ui.ts';
import { MenuFacts } from './rewind-menu.ts';

const NONE: EntryCounts = { own: null, sum: null };

/** A menu of so many prompts, and which of them were counted and shown so far. */
function menuOf(count: number): {
  readonly menu: Chooser<RewindEntry>;
  readonly counted: string[];
  readonly shown: string[];
} {
  const counted: string[] = [];
  const shown: string[] = [];
  let atOnce = 0;
  const entries = Array.from({ length: count }, (_, i): RewindEntry => {
    const id = String(i);
    return {
      id,
      timestamp: new Date(0),
      description: id,
      label: null,
      isPrompt: true,
      counts: async () => {
        atOnce += 1;
        expect(atOnce).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
        counted.push(id);
        if (i === 1) throw new Error('nobody knows');
        return NONE;
      },
      preview: async () => {
        shown.push(id);
        return () => [id];
      },
    };
  });
  const options = entries.map((value) => ({ value, label: '', rows: () => [] }));
  return { menu: chooserOf({ title: '', options }), counted, shown };
}

it('counts only around what is selected, one at a time, nearest first', async () => {
  const { menu, counted, shown } = menuOf(1_000);
  const facts = new MenuFacts(() => undefined);
  facts.select(0, menu);
  await vi.waitFor(() => expect(counted).toHaveLength(40));
  expect(counted.slice(0, 3)).toEqual(['0', '1', '2']);
  expect(facts.counts.get('1')).toEqual(NONE);
  expect(shown).toEqual(['0']);

  // Somebody holds the arrow down: what flies by is not looked at.
  for (let at = 1; at <= 900; at += 1) facts.select(at, menu);
  await vi.waitFor(() => expect(facts.counts.size).toBeGreaterThanOrEqual(119));
  expect(facts.previews.has('900')).toBe(true);
  expect(counted).not.toContain('500');
  expect(shown.length).toBeLessThan(5);
});

it('stops when the menu is closed', async () => {
  const { menu, counted } = menuOf(100);
  const facts = new MenuFacts(() => facts.close());
  facts.select(50, menu);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(counted).toEqual(['50']);
});
