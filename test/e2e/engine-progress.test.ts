import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  openSavepoint,
  type Progress,
  type ProgressStep,
  SavepointError,
} from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
let told: Progress[];
let onTold: (progress: Progress) => void | Promise<void>;
beforeEach(async () => {
  told = [];
  onTold = () => undefined;
  bed = await makeBed({
    scan: true,
    // Who closes in the middle of a restore waits for the lock that the restore holds.
    lockTimeoutMs: 50,
    onProgress: (progress) => {
      told.push(progress);
      return onTold(progress);
    },
  });
});
afterEach(() => bed.remove());

const NAMES = ['a', 'b', 'c'];
const steps = (): ProgressStep[] => [...new Set(told.map(({ step }) => step))];

async function agentWrites(): Promise<void> {
  for (const name of NAMES) bed.put(name, 'before');
  await bed.tool('m1', NAMES, () => {
    for (const name of NAMES) bed.put(name, 'after');
  });
  told = [];
}

it('tells of each path of a restore, in order', async () => {
  await agentWrites();
  await bed.rewind('m1');
  expect(steps()).toEqual(['plan', 'keep', 'stage', 'swap']);
  const swaps = told.filter(({ step }) => step === 'swap');
  expect(swaps.map(({ done, total }) => [done, total])).toEqual([
    [0, 3],
    [1, 3],
    [2, 3],
  ]);
});

it('waits for what the listener does, before it goes on', async () => {
  await agentWrites();
  const seen: string[] = [];
  onTold = async ({ step }) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (step === 'swap') seen.push(NAMES.map((name) => bed.text(name)).join());
  };
  await bed.rewind('m1');
  expect(seen).toEqual(['after,after,after', 'before,after,after', 'before,before,after']);
});

it('takes everything back when the listener throws in the middle of a restore', async () => {
  await agentWrites();
  onTold = ({ step, done }) => {
    if (step === 'swap' && done === 2) throw new SavepointError('aborted', 'enough');
  };
  await expect(bed.rewind('m1')).rejects.toMatchObject({ code: 'aborted' });
  expect(NAMES.map((name) => bed.text(name))).toEqual(['after', 'after', 'after']);
  onTold = () => undefined;
  await bed.rewind('m1');
  expect(NAMES.map((name) => bed.text(name))).toEqual(['before', 'before', 'before']);
});

it.each([
  ['closes the store', () => undefined],
  [
    'closes the store and throws',
    () => {
      throw new SavepointError('aborted', 'enough');
    },
  ],
])('touches nothing more when the listener %s in the middle of a restore', async (_, then) => {
  await agentWrites();
  onTold = async ({ step, done }) => {
    if (step !== 'swap' || done !== 1) return;
    await bed.savepoint.close();
    then();
  };
  await expect(bed.rewind('m1')).rejects.toMatchObject({ code: 'restore-unfinished' });
  expect(NAMES.map((name) => bed.text(name))).toEqual(['before', 'after', 'after']);
  onTold = () => undefined;
  bed.savepoint = await openSavepoint({ project: bed.root, home: bed.home });
  expect(NAMES.map((name) => bed.text(name))).toEqual(['before', 'before', 'before']);
});

it('tells of scans and of trees that are written', async () => {
  bed.put('a', 'one');
  await bed.savepoint.scan();
  expect(steps()).toEqual(['scan', 'copy']);
  bed.put('a', 'two');
  bed.put('b', 'new');
  told = [];
  const { id } = await bed.savepoint.checkpoint({ label: 'here' });
  expect(told.filter(({ step }) => step === 'record')).toMatchObject([
    { done: 0, total: 2 },
    { done: 1, total: 2 },
  ]);
  told = [];
  const target = mkdtempSync(join(tmpdir(), 'savepoint-tree-'));
  try {
    await bed.savepoint.materialize(id, target);
  } finally {
    rmSync(target, { recursive: true });
  }
  expect(told).toMatchObject([
    { step: 'write', done: 0, total: 2 },
    { step: 'write', done: 1, total: 2 },
  ]);
});

it('shows what a line of a plan takes back, the merge of others included', async () => {
  const lines = ['1', '2', '3', '4', '5', '6', '7', '8', ''].join('\n');
  bed.put('a', lines);
  await bed.write('m1', 'a', lines.replace('2', 'two'));
  bed.put('a', lines.replace('2', 'two').replace('8', 'mine'));
  const plan = await bed.savepoint.planRewind({ to: await bed.idOf('m1') });
  const [line] = plan.lines;
  if (line === undefined) throw new Error('the plan is empty');
  const diff = await bed.savepoint.planDiff(line);
  const text = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString();
  expect(line.action).toBe('merge');
  expect(text(diff.beforeBytes)).toBe(lines.replace('8', 'mine'));
  expect(text(diff.afterBytes)).toBe(bed.text('a'));
});
