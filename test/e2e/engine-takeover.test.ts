import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSavepoint, storeDirectory } from '../../src/index.ts';
import { postgresStore } from '../../src/store/postgres/index.ts';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { type Bed, makeBed } from './engine-bed.ts';

/** A machine with a home and a worktree of its own, on a project of the server. */
async function machine(project: string, name: string): Promise<Bed> {
  const bed = await makeBed({
    store: async (directory) =>
      postgresStore({ url: await sharedPostgres(), project, directory, machine: name }),
  });
  onTestFinished(() => bed.remove());
  return bed;
}

async function twoMachines(): Promise<readonly [Bed, Bed]> {
  const project = randomUUID();
  return [await machine(project, 'desk'), await machine(project, 'laptop')];
}

/** As somebody does who brings files over: with git, or a disk. The command scans before a takeover. */
async function bringFiles(from: Bed, to: Bed): Promise<void> {
  cpSync(from.root, to.root, { recursive: true });
  await to.savepoint.scan();
}

describe('a session of another machine', () => {
  it('is listed, taken over, compared, written out and rewound where the files match', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'first\n');
    await desk.write('two', 'a', 'second\n');
    expect((await laptop.savepoint.worktrees()).map((one) => [one.machine, one.isThis])).toEqual([
      ['desk', false],
      ['laptop', true],
    ]);
    const elsewhere = await laptop.savepoint.sessionsElsewhere();
    expect(elsewhere.map(({ worktree, session }) => [worktree.machine, session.id])).toEqual([
      ['desk', 'agent'],
    ]);
    await bringFiles(desk, laptop);
    const before = laptop.tree();
    const receipt = await laptop.savepoint.takeover({ sessionId: 'age' });
    expect(receipt).toMatchObject({ takenOver: true, checkpoints: 2, changes: 2, unreadable: 0 });
    expect(laptop.tree()).toEqual(before);
    const listed = await laptop.savepoint.list({ sessionIds: ['agent'] });
    expect(listed.map(({ messageId }) => messageId)).toEqual(['two', 'one']);
    expect(listed.every(({ importedAt }) => importedAt !== null)).toBe(true);
    const [difference] = await laptop.savepoint.diff(await laptop.idOf('two'));
    expect(difference?.path).toBe('a');
    const copy = join(laptop.base, 'copy');
    await laptop.savepoint.materialize(await laptop.idOf('two'), copy);
    expect(readFileSync(join(copy, 'a'), 'utf8')).toBe('first\n');
    await laptop.rewind('two');
    expect(laptop.text('a')).toBe('first\n');
    await laptop.savepoint.undo();
    expect(laptop.text('a')).toBe('second\n');
    expect(desk.text('a')).toBe('second\n');
  });

  it('says in the plan where the files do not match, and touches none', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'first\n');
    laptop.put('a', 'mine\n');
    await laptop.savepoint.takeover({ sessionId: 'agent' });
    const plan = await laptop.savepoint.planRewind({ to: await laptop.idOf('one') });
    expect(plan.lines.map(({ path, action }) => [path, action])).toEqual([['a', 'conflict']]);
    await laptop.rewind('one');
    expect(laptop.text('a')).toBe('mine\n');
  });

  it('brings only what is new when it is taken over again', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'first\n');
    await laptop.savepoint.takeover({ sessionId: 'agent' });
    expect(await laptop.savepoint.takeover({ sessionId: 'agent' })).toMatchObject({
      takenOver: false,
    });
    await desk.write('one', 'a', 'second\n');
    await desk.write('two', 'b', 'b\n');
    const receipt = await laptop.savepoint.takeover({ sessionId: 'agent' });
    expect(receipt).toMatchObject({ takenOver: true, checkpoints: 1, changes: 2, brought: [] });
    await bringFiles(desk, laptop);
    const { deletedFiles } = await laptop.rewind('one');
    expect([...deletedFiles].sort()).toEqual(['a', 'b']);
    expect(existsSync(laptop.at('a'))).toBe(false);
  });

  it('goes on here, and back there, and each can return to before all of it', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'one\n');
    await bringFiles(desk, laptop);
    await laptop.savepoint.takeover({ sessionId: 'agent' });
    await laptop.write('two', 'a', 'one\ntwo\n');
    await laptop.write('two', 'c', 'c\n');
    await bringFiles(laptop, desk);
    const back = await desk.savepoint.takeover({ sessionId: 'agent' });
    expect(back).toMatchObject({ takenOver: true, checkpoints: 1, changes: 2, brought: [] });
    await desk.write('three', 'a', 'one\ntwo\nthree\n');
    await bringFiles(desk, laptop);
    const again = await laptop.savepoint.takeover({ sessionId: 'agent' });
    // The files that somebody brought to the desk are a change there.
    expect(again).toMatchObject({ takenOver: true, checkpoints: 1, changes: 2 });
    for (const bed of [desk, laptop]) {
      const messages = (await bed.savepoint.list({ sessionIds: ['agent'] })).map(
        ({ messageId }) => messageId,
      );
      expect([...messages].sort()).toEqual(['one', 'three', 'two']);
      await bed.rewind('one');
      expect([existsSync(bed.at('a')), existsSync(bed.at('c'))]).toEqual([false, false]);
      await bed.savepoint.undo();
      expect(bed.text('a')).toBe('one\ntwo\nthree\n');
      await bed.rewind('three');
      expect(bed.text('a')).toBe('one\ntwo\n');
    }
  });

  it('leaves what this machine did since alone, also where the other went on', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'one\n');
    await bringFiles(desk, laptop);
    await laptop.savepoint.takeover({ sessionId: 'agent' });
    await laptop.write('here', 'a', 'one\nhere\n');
    await desk.write('there', 'a', 'one\nthere\n');
    await laptop.savepoint.takeover({ sessionId: 'agent' });
    await laptop.rewind('here');
    expect(laptop.text('a')).toBe('one\n');
  });

  it('is not taken back here because somebody rewound it there', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'one\n');
    await bringFiles(desk, laptop);
    await laptop.savepoint.takeover({ sessionId: 'agent' });
    await laptop.rewind('one');
    await desk.savepoint.takeover({ sessionId: 'agent' });
    expect(desk.text('a')).toBe('one\n');
    await desk.rewind('one');
    expect(existsSync(desk.at('a'))).toBe(false);
  });

  it('leaves a hunk that came back on the other machine as it is', async () => {
    const [desk, laptop] = await twoMachines();
    const lines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
    desk.put('a', lines);
    await desk.savepoint.scan();
    await desk.write('one', 'a', lines.replace('three\n', ''));
    await bringFiles(desk, laptop);
    await laptop.savepoint.takeover({ sessionId: 'agent' });
    await laptop.write('two', 'a', laptop.text('a').replace('six', 'SIX'));
    const request = { to: await laptop.idOf('one') };
    const [line] = (await laptop.savepoint.planRewind(request)).lines;
    if (line === undefined) throw new Error('no line');
    const [hunk] = await laptop.savepoint.planHunks(line);
    const hunks = [{ path: 'a', ids: [hunk?.id ?? ''] }];
    await laptop.savepoint.rewind({ ...request, hunks });
    await bringFiles(laptop, desk);
    await desk.savepoint.takeover({ sessionId: 'agent' });
    for (const one of [laptop, desk]) {
      await one.rewind('two');
      expect(one.text('a')).toBe(lines);
    }
  });

  it('brings a session whose files another session brought before, as nobody’s', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'one\n');
    await desk.tool('x', ['a'], () => desk.put('a', 'one\nother\n'), { sessionId: 'other' });
    await desk.write('two', 'a', 'one\nother\ntwo\n');
    await bringFiles(desk, laptop);
    await laptop.savepoint.takeover({ sessionId: 'other' });
    expect(await laptop.savepoint.takeover({ sessionId: 'agent' })).toMatchObject({
      // With a tie between them, for what the other session did.
      changes: 3,
    });
    await laptop.rewind('two');
    expect(laptop.text('a')).toBe('one\nother\n');
  });

  it('keeps private files, and what a tool is writing at the moment, where they are', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'one\n');
    const open = { sessionId: 'agent', messageId: 'two', paths: ['b'] };
    const capture = await desk.savepoint.captureBefore(open);
    const first = await laptop.savepoint.takeover({ sessionId: 'agent' });
    expect(first).toMatchObject({ changes: 1, open: 1 });
    desk.put('b', 'b\n');
    await desk.savepoint.captureAfter(capture);
    expect(await laptop.savepoint.takeover({ sessionId: 'agent' })).toMatchObject({ changes: 1 });
  });

  it('keeps its contents here when they are pruned there', async () => {
    const [desk, laptop] = await twoMachines();
    await desk.write('one', 'a', 'one\n');
    await desk.write('two', 'a', 'two\n');
    await laptop.savepoint.takeover({ sessionId: 'agent' });
    await desk.savepoint.evict((await desk.savepoint.list()).map(({ id }) => id));
    const { changes } = await desk.savepoint.prune();
    expect(changes).toBeGreaterThan(0);
    laptop.put('a', 'two\n');
    await laptop.rewind('two');
    expect(readFileSync(laptop.at('a'), 'utf8')).toBe('one\n');
  });
});

it('refuses the folder of a home that was copied to another machine', async () => {
  const [desk, laptop] = await twoMachines();
  await desk.write('one', 'a', 'one\n');
  const [from, to] = [desk, laptop].map((bed) => storeDirectory(bed.home, bed.root)) as [
    string,
    string,
  ];
  await laptop.savepoint.close();
  cpSync(join(from, 'server.json'), join(to, 'server.json'));
  const [worktree] = (await desk.savepoint.worktrees()).filter(({ isThis }) => isThis);
  expect(worktree?.root).toBe(desk.root);
  const text = JSON.parse(readFileSync(join(to, 'server.json'), 'utf8')) as { name: string };
  const url = await sharedPostgres();
  const opening = openSavepoint({
    project: laptop.root,
    home: laptop.home,
    store: (directory) => postgresStore({ url, project: text.name, directory }),
  });
  await expect(opening).rejects.toMatchObject({ code: 'project-mismatch' });
});
