import { chmodSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
  bed.put('a', 'A0');
  bed.put('b', 'B0');
  await bed.write('m1', 'a', 'A1');
  await bed.tool('m2', ['b'], () => rmSync(bed.at('b')));
  await bed.write('m3', 'dir/c', 'C3');
});
afterEach(() => bed.remove());

/** Each path with its contents, before and after. */
async function shown(from: string, to?: string, paths?: string[]): Promise<unknown[]> {
  const text = (bytes: Uint8Array | null) =>
    bytes === null ? null : Buffer.from(bytes).toString();
  const diffs = await bed.savepoint.diff(from, to, paths);
  return diffs.map((diff) => [diff.path, text(diff.beforeBytes), text(diff.afterBytes)]);
}

describe('diff', () => {
  it('shows what differs now from how it was at a checkpoint', async () => {
    expect(await shown(await bed.idOf('m1'))).toEqual([
      ['a', 'A0', 'A1'],
      ['b', 'B0', null],
      ['dir', null, null],
      ['dir/c', null, 'C3'],
    ]);
  });

  it('shows what differs between two checkpoints', async () => {
    expect(await shown(await bed.idOf('m1'), await bed.idOf('m2'))).toEqual([['a', 'A0', 'A1']]);
    expect(await shown(await bed.idOf('m2'), await bed.idOf('m3'))).toEqual([['b', 'B0', null]]);
  });

  it('shows a path as it was at the later checkpoint, whatever happened to it since', async () => {
    await bed.write('m4', 'a', 'A4');
    expect(await shown(await bed.idOf('m1'), await bed.idOf('m2'))).toEqual([['a', 'A0', 'A1']]);
    bed.put('a', 'person');
    const now = await shown(await bed.idOf('m1'), await bed.idOf('m4'), ['a']);
    expect(now).toEqual([['a', 'A0', 'A1']]);
  });

  it('sees what is on disk now, recorded or not', async () => {
    bed.put('a', 'person');
    expect(await shown(await bed.idOf('m1'), undefined, ['a'])).toEqual([['a', 'A0', 'person']]);
  });

  it('covers chosen paths and what is below them', async () => {
    const diff = await shown(await bed.idOf('m1'), undefined, ['dir']);
    expect(diff.map((line) => (line as string[])[0])).toEqual(['dir', 'dir/c']);
  });

  it('is empty after a rewind to the same checkpoint', async () => {
    await bed.rewind('m1');
    expect(await shown(await bed.idOf('m1'))).toEqual([]);
  });

  it('shows a change of mode alone', async () => {
    await bed.tool('m4', ['a'], () => chmodSync(bed.at('a'), 0o755));
    const diffs = await bed.savepoint.diff(await bed.idOf('m4'));
    expect(diffs).toMatchObject([{ before: { mode: 0o644 }, after: { mode: 0o755 } }]);
  });

  it('writes nothing', async () => {
    const before = [bed.tree(), await bed.savepoint.stats()];
    await shown(await bed.idOf('m1'));
    expect([bed.tree(), await bed.savepoint.stats()]).toEqual(before);
  });
});

describe('the list', () => {
  it('is newest first and counts the files of each message', async () => {
    const listed = await bed.savepoint.list();
    expect(listed.map(({ messageId, files, folders }) => [messageId, files, folders])).toEqual([
      ['m3', 1, 1],
      ['m2', 1, 0],
      ['m1', 1, 0],
    ]);
  });

  it('can be asked for one session, one kind, a number', async () => {
    await bed.savepoint.checkpoint({ label: 'mine' });
    expect(await bed.savepoint.list({ kinds: ['manual'] })).toMatchObject([{ label: 'mine' }]);
    expect(await bed.savepoint.list({ sessionIds: ['agent'], limit: 2 })).toHaveLength(2);
    expect(await bed.savepoint.list({ sessionIds: ['nobody'] })).toEqual([]);
  });
});

describe('a checkpoint', () => {
  it('is found by its id, its beginning, "latest" and "~N"', async () => {
    const id = await bed.idOf('m2');
    for (const ref of [id, id.slice(0, 10), '~1']) {
      expect((await bed.savepoint.resolve(ref)).messageId).toBe('m2');
    }
    expect((await bed.savepoint.resolve('latest')).messageId).toBe('m3');
  });

  it.each(['', 'zz', '~99', '~', 'latest ', '%', '_'])('is not found by "%s"', async (ref) => {
    await expect(bed.savepoint.resolve(ref)).rejects.toMatchObject({
      code: 'checkpoint-not-found',
    });
  });

  it('whose shortened id fits several is named with the candidates', async () => {
    // 40 ids over 32 first signs: two of them share one.
    for (let n = 0; n < 40; n += 1) await bed.savepoint.checkpoint({ description: `${n}` });
    const first = (await bed.savepoint.list()).map(({ id }) => id.slice(0, 1));
    const twice = first.find((sign, index) => first.indexOf(sign) !== index) ?? '';
    const refused = bed.savepoint.resolve(twice);
    await expect(refused).rejects.toMatchObject({ code: 'checkpoint-ambiguous' });
  });
});
