import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RewindPlan, receiptOf } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
let plan: RewindPlan;

beforeEach(async () => {
  bed = await makeBed();
  bed.put('file', 'before');
  bed.put('dir/file', 'before');
  await bed.write('m1', 'file', 'after');
  await bed.write('m1', 'dir/file', 'after');
  await bed.write('m1', 'made/new', 'made');
  await bed.tool('m1', ['gone'], () => undefined);
  plan = await bed.savepoint.planRewind({ to: 'latest' });
});
afterEach(() => bed.remove());

describe('a plan', () => {
  it('that nothing has overtaken does exactly what its preview said', async () => {
    const { operationId, safetyCheckpointId, ...receipt } = await bed.savepoint.apply(plan);
    expect(operationId).not.toBeNull();
    expect(safetyCheckpointId).not.toBeNull();
    expect({ ...receipt, operationId: null, safetyCheckpointId: null }).toEqual(receiptOf(plan));
  });

  it('writes nothing until it is applied', async () => {
    const before = [bed.tree(), await bed.savepoint.stats()];
    await bed.savepoint.planRewind({ to: 'latest', onConflict: 'restore' });
    expect([bed.tree(), await bed.savepoint.stats()]).toEqual(before);
  });

  const meanwhile: [what: string, happens: () => unknown][] = [
    ['a file was edited', () => bed.put('file', 'person')],
    ['a file was edited and has its old length', () => bed.put('file', 'AFTER')],
    ['a file was removed', () => rmSync(bed.at('file'))],
    ['a file has another mode', () => chmodSync(bed.at('file'), 0o700)],
    ['a file became a link', () => toLink('file', 'elsewhere')],
    ['a file became a folder', () => toFolder('file')],
    ['a file to delete was edited', () => bed.put('made/new', 'mine now')],
    ['a folder on the way became a link', () => toLinkedFolder('dir')],
    ['a folder on the way is gone', () => rmSync(bed.at('dir'), { recursive: true })],
    ['a person put a file in a folder to delete', () => bed.put('made/mine', 'x')],
    ['the session went on', () => bed.write('m2', 'elsewhere', 'x')],
    ['the session began to write', () => begin('agent')],
    ['another session wrote a path of it', () => begin('other')],
    ['it was applied already', () => bed.savepoint.apply(plan)],
  ];
  it.each(meanwhile)('is stale and touches nothing when %s', async (_what, happens) => {
    await happens();
    const held = bed.tree();
    const operations = await bed.savepoint.operations();
    await expect(bed.savepoint.apply(plan)).rejects.toMatchObject({ code: 'plan-stale' });
    expect(bed.tree()).toEqual(held);
    expect(await bed.savepoint.operations()).toEqual(operations);
    const safety = await bed.savepoint.list({ kinds: ['safety'] });
    expect(safety).toHaveLength(operations.length);
  });

  it('holds although another session wrote other paths', async () => {
    await bed.tool('n1', ['theirs'], () => bed.put('theirs', 'x'), { sessionId: 'other' });
    expect((await bed.savepoint.apply(plan)).success).toBe(true);
  });

  it('to change a mode is stale when the file got a second name, which keeps its mode', async () => {
    bed.put('tool', 'x', 0o644);
    await bed.tool('m2', ['tool'], () => chmodSync(bed.at('tool'), 0o755));
    const chmod = await bed.savepoint.planRewind({ to: 'latest' });
    expect(chmod.lines).toMatchObject([{ action: 'chmod' }]);
    linkSync(bed.at('tool'), join(bed.outside, 'second'));
    await expect(bed.savepoint.apply(chmod)).rejects.toMatchObject({ code: 'plan-stale' });
    expect(statSync(join(bed.outside, 'second')).mode & 0o777).toBe(0o755);
  });

  function toLink(path: string, target: string): void {
    rmSync(bed.at(path));
    symlinkSync(target, bed.at(path));
  }

  function toFolder(path: string): void {
    rmSync(bed.at(path));
    mkdirSync(bed.at(path));
  }

  /** Even one with the same content: behind a link nothing of the project stands. */
  function toLinkedFolder(path: string): void {
    renameSync(bed.at(path), join(bed.outside, path));
    symlinkSync(join(bed.outside, path), bed.at(path));
  }

  function begin(sessionId: string): Promise<unknown> {
    return bed.savepoint.captureBefore({ sessionId, messageId: 'n1', paths: ['file'] });
  }
});
