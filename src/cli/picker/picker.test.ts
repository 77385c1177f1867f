import { expect, it } from 'vitest';
import type { ListedCheckpoint, PlanLine, RewindPlan } from '../../index.ts';
import { textWidth } from '../../terminal/text-width.ts';
import { planToAgree, questionText } from './picker.ts';

const checkpoint = {
  kind: 'message',
  description: 'Fix the 解析器\x1b',
  label: null,
  importedAt: null,
  takenBack: 'no',
} as ListedCheckpoint;

function previewOf(...actions: readonly PlanLine['action'][]) {
  const lines = actions.map((action, i) => {
    const type = action === 'mkdir' ? 'directory' : 'file';
    const target = { kind: 'captured', type };
    return { action, path: `f${i}`, reason: null, takes: [], expected: target, target };
  });
  const plan = { lines, notes: [], checkpointId: null } as unknown as RewindPlan;
  return { plan, conflicts: [], diff: [], more: 0 };
}

const since = { take: 'since', columns: 80 } as const;

it('says how much would be done, and what is left in conflict', () => {
  expect(questionText(checkpoint, previewOf('write', 'delete', 'merge'), since)).toBe(
    'Rewind 3 files to before "Fix the 解析器\\x1b"? y/N',
  );
  expect(questionText(checkpoint, previewOf('write', 'conflict'), since)).toBe(
    'Rewind 1 file to before "Fix the 解析器\\x1b" (1 left in conflict)? y/N',
  );
  const folders = previewOf('write', 'mkdir', 'mkdir', 'conflict', 'conflict');
  expect(questionText(checkpoint, folders, { ...since, columns: 100 })).toBe(
    'Rewind 1 file and 2 folders to before "Fix the 解析器\\x1b" (2 left in conflict)? y/N',
  );
  expect(questionText(checkpoint, previewOf('mkdir'), since)).toMatch(/^Rewind 1 folder to /);
  const message = { ...since, take: 'message' } as const;
  expect(questionText(checkpoint, previewOf('write'), message)).toMatch(
    /^Take back 1 file of only/,
  );
});

it.each([60, 40, 12])('has room for the answer in %i columns', (columns) => {
  const text = questionText(checkpoint, previewOf('write', 'conflict'), { ...since, columns });
  expect(textWidth(text)).toBeLessThanOrEqual(columns);
  expect(text).toMatch(/\? y\/N$/);
});

it('asks nothing where there is nothing to agree to', () => {
  expect(questionText(checkpoint, null, since)).toBe('Planning…  Esc back');
  expect(questionText(checkpoint, previewOf('skip'), since)).toMatch(/^Nothing .*Esc back$/);
  expect(planToAgree(previewOf('skip'))).toBeNull();
  const busy = { problem: 'a tool is running' };
  expect(questionText(checkpoint, busy, since)).toBe('a tool is running  Esc back');
  expect(planToAgree(busy)).toBeNull();
});
