import { expect } from 'vitest';
import { hashBytes, type PlanLine, type RewindPlan, type State } from '../../src/index.ts';
import type { Bed } from '../e2e/engine-bed.ts';
import { refusalOf } from './hostile-bed.ts';

export const ABSENT: State = { kind: 'absent' };
export const FOLDER: State = {
  kind: 'captured',
  type: 'directory',
  mode: 0o755,
  blob: null,
  size: 0,
};
export const EVIL: Buffer = Buffer.from('evil\n');

export function fileState(content: Uint8Array | string, mode = 0o644): State {
  const bytes = Buffer.from(content);
  return { kind: 'captured', type: 'file', mode, blob: hashBytes(bytes), size: bytes.length };
}

/** The value that is handed to `apply` in place of the real plan. */
export type Tamper = (plan: RewindPlan) => unknown;

/** A plan made after an agent wrote "file" and "dir/file" and created "made"; "mine" is a person's. */
export async function realPlan(bed: Bed): Promise<RewindPlan> {
  bed.put('mine', 'precious\n');
  bed.put('file', 'before\n');
  bed.put('dir/file', 'before\n');
  await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1' });
  await bed.write('m1', 'file', 'after\n');
  await bed.write('m1', 'dir/file', 'after\n');
  await bed.write('m1', 'made', 'made\n');
  return bed.savepoint.planRewind({ to: 'latest' });
}

/** Puts in a line that would write a file, sound but for its path. */
export function withLine(path: () => unknown, more: object = {}): Tamper {
  return (plan) => {
    const sound = { action: 'merge', expected: ABSENT, target: fileState(EVIL), merged: EVIL };
    const added = { path: path(), takes: [], ...sound, ...more };
    return { ...plan, lines: [...plan.lines, added as PlanLine] };
  };
}

/** Replaces a part of the plan's line about "file". */
export function inLine(more: object): Tamper {
  return (plan) => ({
    ...plan,
    lines: plan.lines.map((line) => (line.path === 'file' ? { ...line, ...more } : line)),
  });
}

/** Refused with this code; no file, no row is another one; and the timeline still works. */
export async function expectRefused(bed: Bed, tamper: Tamper, code: string): Promise<void> {
  const plan = await realPlan(bed);
  const held = bed.tree();
  const { blobs: _, blobBytes: __, storedBytes: ___, ...rows } = await bed.savepoint.stats();
  const refusal = await refusalOf(() => bed.savepoint.apply(tamper(plan) as RewindPlan));
  expect(refusal.code).toBe(code);
  expect(bed.tree()).toEqual(held);
  expect(await bed.savepoint.stats()).toMatchObject(rows);
  expect((await bed.savepoint.rewind({ to: 'latest' })).success).toBe(true);
  expect([bed.text('file'), bed.text('mine')]).toEqual(['before\n', 'precious\n']);
}
