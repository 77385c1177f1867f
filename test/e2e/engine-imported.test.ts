import { afterEach, describe, expect, it } from 'vitest';
import { RUN_AGENT } from '../../src/index.ts';
import { type Parts, putTogether, takeApart } from '../hostile/forged-export.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import { carry, exportOf, importOf } from './transfer.ts';

const beds: Bed[] = [];
async function bed(): Promise<Bed> {
  const made = await makeBed();
  beds.push(made);
  return made;
}
afterEach(async () => {
  for (const made of beds.splice(0)) await made.remove();
});

/** A project elsewhere with two messages and two saves, and one here with two messages of its own. */
async function twoProjects(): Promise<{ elsewhere: Bed; here: Bed }> {
  const [elsewhere, here] = [await bed(), await bed()];
  await elsewhere.write('m1', 'a.txt', 'one\n');
  await elsewhere.savepoint.checkpoint({ label: 'good' });
  await elsewhere.write('m2', 'a.txt', 'two\n');
  await elsewhere.savepoint.checkpoint({ label: 'release' });
  await localMessage(here, 'l1');
  await localMessage(here, 'l2');
  return { elsewhere, here };
}

async function localMessage(here: Bed, message: string, sessionId = 'local'): Promise<void> {
  const work = (): void => here.put('l.txt', `${sessionId} ${message}\n`);
  await here.tool(message, ['l.txt'], work, { sessionId });
}

const resolved = async ({ savepoint }: Bed, ref: string): Promise<string> =>
  (await savepoint.resolve(ref)).id;

describe('after an import', () => {
  it('latest and ~N count the checkpoints of this machine only', async () => {
    const { elsewhere, here } = await twoProjects();
    await carry(elsewhere, here, { all: true });
    const [l1, l2] = [await here.idOf('l1', 'local'), await here.idOf('l2', 'local')];
    expect(await resolved(here, 'latest')).toBe(l2);
    expect(await resolved(here, '~1')).toBe(l1);
    await expect(here.savepoint.resolve('~2')).rejects.toMatchObject({
      code: 'checkpoint-not-found',
    });
    await localMessage(here, 'l3');
    expect(await resolved(here, 'latest~1')).toBe(l2);
    expect(await resolved(here, `${await here.idOf('l3', 'local')}~2`)).toBe(l1);
  });

  it('~N after an imported checkpoint counts those that came with it', async () => {
    const { elsewhere, here } = await twoProjects();
    const other = await bed();
    await localMessage(other, 'o1', 'other');
    await carry(elsewhere, here);
    await carry(other, here);
    expect(await resolved(here, `${await here.idOf('m2')}~1`)).toBe(await here.idOf('m1'));
    const o1 = await here.idOf('o1', 'other');
    await expect(here.savepoint.resolve(`${o1}~1`)).rejects.toMatchObject({
      code: 'checkpoint-not-found',
    });
  });

  it('there is no latest where nothing was recorded on this machine', async () => {
    const { elsewhere } = await twoProjects();
    const empty = await bed();
    await carry(elsewhere, empty);
    await expect(empty.savepoint.resolve('latest')).rejects.toMatchObject({
      code: 'checkpoint-not-found',
    });
    expect(await empty.savepoint.currentPlace()).toBeNull();
  });

  it('the current place stays where it was, also after a rewind', async () => {
    const { elsewhere, here } = await twoProjects();
    await carry(elsewhere, here);
    expect(await here.savepoint.currentPlace()).toBe(await here.idOf('l2', 'local'));
    await here.savepoint.rewind({ to: await here.idOf('l2', 'local') });
    const other = await bed();
    await localMessage(other, 'o1', 'other');
    await carry(other, here);
    expect(await here.savepoint.currentPlace()).toBe(await here.idOf('l1', 'local'));
  });

  it('status names the newest checkpoint of this machine', async () => {
    const { elsewhere, here } = await twoProjects();
    await carry(elsewhere, here, { all: true });
    expect((await here.savepoint.status()).newest?.id).toBe(await here.idOf('l2', 'local'));
  });

  it('an undo finds the last run here, however many messages were imported', async () => {
    const { elsewhere, here } = await twoProjects();
    here.put('r.txt', 'before\n');
    const run = { sessionId: 'run', agent: RUN_AGENT };
    await here.savepoint.checkpoint({ ...run, messageId: 'r1', isRun: true });
    await here.tool('r1', ['r.txt'], () => here.put('r.txt', 'after\n'), run);
    for (let n = 3; n <= 55; n += 1) await elsewhere.write(`m${n}`, 'a.txt', `${n}\n`);
    await carry(elsewhere, here);
    await here.savepoint.undo();
    expect(here.text('r.txt')).toBe('before\n');
  });

  it('an export without a name takes the session that was active last on this machine', async () => {
    const { elsewhere, here } = await twoProjects();
    await carry(elsewhere, here);
    const { receipt } = await exportOf(here.savepoint);
    expect(receipt.exported.map(({ id }) => id)).toEqual(['local']);
  });

  it('a session that goes on here is of this machine from then on', async () => {
    const { elsewhere, here } = await twoProjects();
    await carry(elsewhere, here);
    await here.write('m3', 'a.txt', 'three\n');
    expect(await resolved(here, 'latest')).toBe(await here.idOf('m3'));
    expect(await resolved(here, '~1')).toBe(await here.idOf('l2', 'local'));
  });

  it('a session is told from those of this machine until it goes on here', async () => {
    const { elsewhere, here } = await twoProjects();
    await carry(elsewhere, here);
    const imported = async (): Promise<string[]> => {
      const ids = (await here.savepoint.sessions()).map(({ id }) => id);
      return [...(await here.savepoint.importedSessions(ids))];
    };
    expect(await imported()).toEqual(['agent']);
    await here.write('m3', 'a.txt', 'three\n');
    expect(await imported()).toEqual([]);
  });

  it('what is exported again and comes back counts as imported once more', async () => {
    const { elsewhere, here } = await twoProjects();
    await carry(elsewhere, here);
    const third = await bed();
    await localMessage(third, 't1', 'third');
    await importOf(third.savepoint, (await exportOf(here.savepoint, { all: true })).bytes);
    expect(await resolved(third, 'latest')).toBe(await third.idOf('t1', 'third'));
  });
});

describe('an imported label', () => {
  it('stays, where nobody here has it, and names its checkpoint', async () => {
    const { elsewhere, here } = await twoProjects();
    const receipt = await carry(elsewhere, here, { all: true });
    expect(receipt.labelsLeftOut).toEqual([]);
    expect(await resolved(here, 'release')).toBe(await resolved(elsewhere, 'release'));
    await expect(here.savepoint.checkpoint({ label: 'release' })).rejects.toMatchObject({
      code: 'argument-invalid',
    });
  });

  it('is left out where a checkpoint here has it: a label means this machine', async () => {
    const { elsewhere, here } = await twoProjects();
    const mine = await here.savepoint.checkpoint({ label: 'good' });
    const receipt = await carry(elsewhere, here, { all: true });
    expect(receipt.labelsLeftOut).toEqual(['good']);
    expect(await resolved(here, 'good')).toBe(mine.id);
    const labels = (await here.savepoint.list({ labelled: true })).map(({ label }) => label);
    expect(labels.toSorted()).toEqual(['good', 'release']);
    // The second time all of it is here already, with or without its labels.
    expect(await carry(elsewhere, here, { all: true })).toMatchObject({ imported: false });
  });

  it('is left out where it is the beginning of an id here, or of one that comes with it', async () => {
    const { elsewhere, here } = await twoProjects();
    const [l1, m1] = [await here.idOf('l1', 'local'), await elsewhere.idOf('m1')];
    const bytes = await forged(elsewhere, ([first, second]) => [
      { ...first, label: l1.slice(0, 6) },
      { ...second, label: m1.slice(0, 6) },
    ]);
    const receipt = await importOf(here.savepoint, bytes);
    expect(receipt.labelsLeftOut).toEqual([l1.slice(0, 6), m1.slice(0, 6)]);
    expect(await resolved(here, l1.slice(0, 6))).toBe(l1);
  });

  const refused: [what: string, labels: [string, string]][] = [
    ['is "latest"', ['latest', 'x']],
    ['counts checkpoints', ['x', 'good~1']],
    ['has spaces around it', [' good', 'x']],
    ['is empty', ['', 'x']],
    ['holds a line break', ['go\nod', 'x']],
    ['steers a terminal', ['\u001b[2J', 'x']],
    ['is longer than ours may be', ['l'.repeat(201), 'x']],
    ['belongs to two checkpoints', ['same', 'same']],
  ];
  it.each(refused)('is refused with its export where it %s', async (_what, labels) => {
    const { elsewhere, here } = await twoProjects();
    const bytes = await forged(elsewhere, (rows) =>
      rows.map((fields, at) => ({ ...fields, label: labels[at] })),
    );
    await expect(importOf(here.savepoint, bytes)).rejects.toMatchObject({ code: 'export-invalid' });
    expect(await here.savepoint.list()).toHaveLength(2);
  });

  type Fields = Parts['rows'][number][1];

  /** The export of the two messages, with other fields in the rows of their checkpoints. */
  async function forged(from: Bed, change: (rows: Fields[]) => Fields[]): Promise<Buffer> {
    const parts = takeApart((await exportOf(from.savepoint)).bytes);
    const rows = parts.rows.filter(([kind]) => kind === 'checkpoint');
    const changed = change(rows.map(([, fields]) => fields));
    for (const [at, row] of rows.entries()) row[1] = changed[at] ?? {};
    return putTogether(parts);
  }
});
