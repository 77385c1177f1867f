import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Progress, RewindPlan } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
let onTold: (progress: Progress) => void;
beforeEach(async () => {
  onTold = () => undefined;
  bed = await makeBed({ onProgress: (progress) => onTold(progress) });
});
afterEach(() => bed.remove());

/** The agent writes two files. Returns the tree before it did. */
async function agentWrites(): Promise<ReturnType<Bed['tree']>> {
  bed.put('dir/file', 'before');
  bed.put('other', 'before');
  const before = bed.tree();
  await bed.tool('m1', ['dir/file', 'other'], () => {
    bed.put('dir/file', 'after');
    bed.put('other', 'after');
  });
  return before;
}

describe('a rewind that is planned and applied at once', () => {
  it('brings back more than it keeps in memory', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const content = (fill: number): Buffer => Buffer.alloc(6 * 1024 * 1024, fill);
    for (const [nth, name] of names.entries()) bed.put(name, content(nth));
    const before = bed.tree();
    await bed.tool('m1', names, () => {
      for (const [nth, name] of names.entries()) bed.put(name, content(100 + nth));
    });
    const after = bed.tree();
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(before);
    await bed.savepoint.undo();
    expect(bed.tree()).toEqual(after);
  });

  it('shows its plan first, and touches nothing unless the caller agrees', async () => {
    const before = await agentWrites();
    const after = bed.tree();
    const [to] = await bed.savepoint.list();
    const shown: string[][] = [];
    const answer = (agreed: boolean) => (plan: RewindPlan) => {
      shown.push(plan.lines.map(({ path }) => path));
      return agreed;
    };
    const request = { to: to?.id ?? '' };
    const declined = await bed.savepoint.rewind(request, answer(false));
    expect(declined).toMatchObject({ operationId: null, restoredFiles: ['dir/file', 'other'] });
    expect(bed.tree()).toEqual(after);
    expect(await bed.savepoint.operations()).toEqual([]);
    await bed.savepoint.rewind(request, answer(true));
    expect(bed.tree()).toEqual(before);
    await bed.savepoint.undo({}, answer(false));
    expect(bed.tree()).toEqual(before);
    await bed.savepoint.undo({}, answer(true));
    expect(bed.tree()).toEqual(after);
    await bed.savepoint.redo({}, answer(true));
    expect(bed.tree()).toEqual(before);
    expect(shown).toEqual(Array.from({ length: 5 }, () => ['dir/file', 'other']));
  });

  const meanwhile: [what: string, happens: () => void][] = [
    ['edits a file', () => bed.put('dir/file', 'person')],
    ['writes as many bytes as were there', () => bed.put('dir/file', 'AFTER')],
    ['removes a file', () => rmSync(bed.at('dir/file'), { force: true })],
    ['gives a file another mode', () => chmodSync(bed.at('dir/file'), 0o700)],
    ['puts a folder where a file was', () => replaceByFolder('dir/file')],
  ];
  for (const step of ['keep', 'stage'] as const) {
    it.each(meanwhile)(`touches nothing when a person %s at "${step}"`, async (_what, happens) => {
      await agentWrites();
      onTold = (progress) => {
        if (progress.step === step && progress.done === 1) happens();
      };
      await expect(bed.rewind('m1')).rejects.toMatchObject({ code: 'plan-stale' });
      onTold = () => undefined;
      const left = bed.tree();
      happens();
      expect(left).toEqual(bed.tree());
      expect(bed.text('other')).toBe('after');
      expect(await bed.savepoint.operations()).toEqual([]);
    });
  }

  it('goes on from what was done to files since, once that is settled', async () => {
    const before = await agentWrites();
    await bed.rewind('m1');
    await bed.savepoint.undo();
    await bed.savepoint.redo();
    expect(bed.tree()).toEqual(before);
  });

  function replaceByFolder(path: string): void {
    rmSync(bed.at(path), { recursive: true });
    mkdirSync(bed.at(path));
  }
});
