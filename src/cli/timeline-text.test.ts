import { describe, expect, it } from 'vitest';
import type { CheckpointId, LineCount, ListedCheckpoint } from '../index.ts';
import { textWidth } from '../terminal/text-width.ts';
import { checkpointOf } from '../testing/store/samples.ts';
import { groupedText, type TimelineView, timelineText } from './timeline-text.ts';

const NOW = 10_000_000;
const texts = [
  'Tidy up',
  '请整理一下代码，然后再运行所有的测试，谢谢。',
  '👩‍💻 fix '.repeat(30),
  'a\u001b[2J\nb',
];
const checkpoints = texts.map(
  (description, i): ListedCheckpoint => ({
    ...checkpointOf(9 - i, { description, createdAt: NOW - i * 3_500_000 }),
    id: `${i}bcdefghijkmnpqr` as CheckpointId,
    agent: 'a',
    files: i * 40,
    folders: 0,
    takenBack: 'no',
  }),
);
const idOf = (i: number): CheckpointId => checkpoints[i]?.id ?? ('' as CheckpointId);
const lines = new Map<CheckpointId, LineCount>([
  [idOf(0), { insertions: 0, deletions: 0 }],
  [idOf(1), { insertions: 12_345, deletions: 6_789 }],
]);
const view = (more: Partial<TimelineView> = {}): TimelineView => ({
  checkpoints,
  lengths: new Map(checkpoints.map(({ id }) => [id, 4])),
  now: NOW,
  columns: 80,
  paint: (_style, text) => text,
  ...more,
});

describe('the timeline', () => {
  it('has a row for each checkpoint, with a mark and lines where there are any', () => {
    expect(timelineText(view({ columns: 90, lines, current: idOf(1) })).slice(0, 2)).toEqual([
      '  0bcdefgh  just now        -                        Tidy up',
      '@ 1bcdefgh  58 minutes ago  40 files   +12345 -6789  请整理一下代码，然后再运行所有的测试…',
    ]);
  });

  it('leaves out columns that would be empty', () => {
    expect(timelineText(view({ checkpoints: checkpoints.slice(0, 1) }))).toEqual([
      '0bcdefgh  just now  -  Tidy up',
    ]);
    expect(timelineText(view({ numbered: true }))[0]).toMatch(/^1 {2}0bcdefgh {2}/);
  });

  it.each([30, 40, 59, 60, 72, 80, 120])('fits %i columns, whatever the script', (columns) => {
    const groups = [{ heading: `agent ${'long '.repeat(40)}`, checkpoints }];
    const rows = groupedText(groups, view({ columns, lines, current: idOf(0) }));
    for (const row of rows) expect(textWidth(row), row).toBeLessThanOrEqual(columns);
    expect(rows.join('\n')).toContain('Tidy up');
    expect(rows.join('\n')).not.toContain('\u001b');
  });

  it('gives what was said a line of its own where there is little room', () => {
    const [first, second] = timelineText(view({ columns: 40 }));
    expect(first).toBe('0bcdefgh  just now        -');
    expect(second).toBe('    Tidy up');
  });
});
