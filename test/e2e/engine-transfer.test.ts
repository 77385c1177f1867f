import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenOptions, type PathDiff, RUN_AGENT, type State } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import { carry, exportOf, importOf, recordOf } from './transfer.ts';
import { treeOf } from './tree-of.ts';

const beds: Bed[] = [];
async function bed(options: Partial<OpenOptions> = {}): Promise<Bed> {
  const made = await makeBed(options);
  beds.push(made);
  return made;
}
afterEach(async () => {
  for (const made of beds.splice(0)) await made.remove();
});

/** The law of chains: each before joins the previous after. And all bytes that they name are there. */
async function expectWholeChains({ savepoint }: Bed): Promise<Map<string, State | null>> {
  const last = new Map<string, State | null>();
  for (const { path, before, after } of await savepoint.changes({})) {
    const previous = last.get(path);
    if (previous !== undefined) expect(before).toEqual(previous);
    last.set(path, after);
    for (const state of [before, after]) {
      if (state?.kind !== 'captured' || state.blob === null) continue;
      expect(await savepoint.readBlob(state.blob)).toHaveLength(state.size);
    }
  }
  return last;
}

/** Copies what is in one project into another, as a clone or a pull would. */
function copyFiles(from: Bed, to: Bed): void {
  for (const [path, content] of [
    ['a.txt', from.text('a.txt')],
    ['b.txt', from.text('b.txt')],
  ] as const) {
    to.put(path, content);
  }
}

async function twoMessages(): Promise<Bed> {
  const here = await bed();
  here.put('a.txt', 'one\n');
  await here.write('m1', 'a.txt', 'two\n');
  await here.write('m1', 'b.txt', 'new\n');
  await here.write('m2', 'a.txt', 'three\n');
  return here;
}

describe('a session that moves to another machine', () => {
  it('is listed, compared and rewound there as it was here', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    copyFiles(here, there);
    expect(await carry(here, there)).toMatchObject({
      imported: true,
      sessions: 1,
      checkpoints: 2,
      changes: 3,
    });
    const ids = async (one: Bed) =>
      (await one.savepoint.list()).map(({ id, files }) => [id, files]);
    expect(await ids(there)).toEqual(await ids(here));
    const [m1, m2] = [await there.idOf('m1'), await there.idOf('m2')];
    const plain = (diffs: PathDiff[]) => diffs.map(({ path, after }) => [path, after]);
    expect(plain(await there.savepoint.diff(m1, m2))).toEqual(
      plain(await here.savepoint.diff(m1, m2)),
    );
    await there.rewind('m1');
    expect(there.tree()).toEqual({ 'a.txt': expect.stringContaining('one') });
    await there.savepoint.undo();
    expect(there.text('a.txt')).toBe('three\n');
    expect(there.text('b.txt')).toBe('new\n');
  });

  it('takes along what another session can have made as well, and that session only if it moves too', async () => {
    const here = await bed({ scan: true });
    here.put('a.txt', 'one\n');
    const one = await here.savepoint.openWindow({ sessionId: 'one', messageId: 'm1' });
    const two = await here.savepoint.openWindow({ sessionId: 'two', messageId: 'n1' });
    here.put('a.txt', 'two\n');
    await here.savepoint.closeWindow(one.id);
    await here.savepoint.closeWindow(two.id);
    const coAuthors = [{ sessionId: 'one', checkpointId: one.checkpointId }];
    const [change] = await here.savepoint.changes({});
    expect(change).toMatchObject({ sessionId: 'two', attribution: 'shared', coAuthors });
    const [alone, both] = [await bed(), await bed()];
    for (const there of [alone, both]) there.put('a.txt', 'two\n');
    await carry(here, alone, { sessionId: 'one' });
    const ofOne = { sessionIds: ['one'] };
    const moved = await alone.savepoint.changes(ofOne);
    expect(moved).toMatchObject([{ sessionId: null, checkpointId: null, coAuthors }]);
    const to = one.checkpointId;
    expect((await alone.savepoint.rewind({ to })).skipped).toMatchObject([{ path: 'a.txt' }]);
    await alone.savepoint.rewind({ to, includeShared: true });
    expect(alone.text('a.txt')).toBe('one\n');
    await carry(here, both, { all: true });
    expect(await both.savepoint.changes(ofOne)).toMatchObject([{ sessionId: 'two', coAuthors }]);
  });

  it('keeps every kind of entry: bytes, links, modes, folders, names that are no text', async () => {
    const here = await bed();
    const odd = Buffer.concat([Buffer.from('na'), Buffer.from([0xff, 0xfe]), Buffer.from('me')]);
    here.put('bin', Buffer.from([0, 255, 1, 254]), 0o755);
    here.put('old/deep/file', 'x');
    symlinkSync('bin', here.at('link'));
    const oddFile = Buffer.concat([Buffer.from(`${here.root}/`), odd]);
    await here.tool('m1', ['bin', 'link', odd, 'old', 'made/dir', 'big'], () => {
      here.put('bin', Buffer.from([9, 8, 7]), 0o600);
      rmSync(here.at('link'));
      symlinkSync('elsewhere', here.at('link'));
      writeFileSync(oddFile, 'odd');
      rmSync(here.at('old'), { recursive: true });
      mkdirSync(here.at('made/dir'), { recursive: true });
      here.put('big', Buffer.alloc(700_000, 'big '));
    });
    const after = here.tree();
    const there = await bed();
    // The project as it was before, and as it is after, at another place.
    await carry(here, there);
    await here.rewind('m1');
    const before = here.tree();
    await here.savepoint.undo();
    rmSync(there.root, { recursive: true });
    renameSync(here.root, there.root);
    mkdirSync(here.root);
    await there.reopen({ adopt: true });
    expect(there.tree()).toEqual(after);
    await there.rewind('m1');
    expect(there.tree()).toEqual(before);
    await there.savepoint.undo();
    expect(there.tree()).toEqual(after);
  });

  it('takes along what others did in between, so that a rewind leaves it alone', async () => {
    const here = await bed();
    here.put('a.txt', '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    await here.write('m1', 'a.txt', '1 agent\n2\n3\n4\n5\n6\n7\n8\n9\n');
    here.put('a.txt', '1 agent\n2\n3\n4\n5\n6\n7\n8\n9 person\n');
    await here.tool('o1', ['a.txt', 'o.txt'], () => here.put('o.txt', 'other'), {
      sessionId: 'other',
    });
    await here.write('m2', 'a.txt', '1 agent\n2\n3\n4\n5 agent\n6\n7\n8\n9 person\n');
    const there = await bed();
    there.put('a.txt', here.text('a.txt'));
    await carry(here, there, { sessionId: 'agent' });
    expect((await there.savepoint.sessions()).map(({ id }) => id)).toEqual(['agent']);
    // The other session's own file is none of this one's business.
    expect((await there.savepoint.changes({})).map(({ path }) => path)).not.toContain('o.txt');
    await there.rewind('m1');
    expect(there.text('a.txt')).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9 person\n');
  });

  it('leaves behind what happened to a file before the session came to it', async () => {
    const here = await bed();
    const other = { sessionId: 'other' };
    await here.write('m1', 'a.txt', 'agent');
    await here.tool('o1', ['b.txt'], () => here.put('b.txt', 'other'), other);
    await here.tool('o2', ['a.txt'], () => here.put('a.txt', 'other'), other);
    await here.write('m2', 'b.txt', 'agent');
    const { receipt } = await exportOf(here.savepoint, { sessionId: 'agent' });
    expect(receipt).toMatchObject({ sessions: 1, checkpoints: 2, changes: 3 });
  });

  it('knows what was taken back already', async () => {
    const here = await twoMessages();
    await here.rewind('m2');
    const there = await bed();
    copyFiles(here, there);
    await carry(here, there);
    expect((await there.rewind('m2')).operationId).toBeNull();
    await there.rewind('m1');
    expect(there.tree()).toEqual({ 'a.txt': expect.stringContaining('one') });
  });

  it('leaves a hunk there that came back here with those of sessions that stay behind', async () => {
    const [here, there] = [await bed(), await bed()];
    const lines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
    here.put('a.txt', lines);
    const start = await here.savepoint.checkpoint();
    const edit = (sessionId: string, text: string): Promise<unknown> =>
      here.tool('m', ['a.txt'], () => here.put('a.txt', text), { sessionId });
    await edit('stays', lines.replace('three\n', ''));
    await edit('moves', here.text('a.txt').replace('six', 'SIX'));
    const [line] = (await here.savepoint.planRewind({ to: start.id })).lines;
    if (line === undefined) throw new Error('no line');
    const [hunk] = await here.savepoint.planHunks(line);
    const hunks = [{ path: 'a.txt', ids: [hunk?.id ?? ''] }];
    await here.savepoint.rewind({ to: start.id, hunks });
    expect(here.text('a.txt')).toBe(lines.replace('six', 'SIX'));
    there.put('a.txt', here.text('a.txt'));
    await carry(here, there, { sessionId: 'moves' });
    for (const one of [here, there]) {
      await one.savepoint.rewind({ to: await one.idOf('m', 'moves') });
      expect(one.text('a.txt')).toBe(lines);
    }
  });

  it('goes with its sub-agents, and with everything when all is asked for', async () => {
    const here = await twoMessages();
    await here.tool('s1', ['sub.txt'], () => here.put('sub.txt', 'sub'), {
      sessionId: 'sub',
      parentSessionId: 'agent',
    });
    await here.tool('o1', ['o.txt'], () => here.put('o.txt', 'other'), { sessionId: 'other' });
    await here.savepoint.checkpoint({ label: 'by hand' });
    const family = (await exportOf(here.savepoint, { sessionId: 'sub' })).receipt;
    expect(family.exported.map(({ id }) => id).sort()).toEqual(['agent', 'sub']);
    expect(family.checkpoints).toBe(3);
    const all = (await exportOf(here.savepoint, { all: true })).receipt;
    expect(all).toMatchObject({ sessions: 3, checkpoints: 5 });
    const there = await bed();
    await carry(here, there, { all: true });
    const labels = (await there.savepoint.list()).map(({ label }) => label);
    expect(labels).toContain('by hand');
  });

  it('ends an open change with what is on disk, and leaves outside files behind', async () => {
    const here = await bed();
    here.put('a.txt', 'before');
    const outside = `${here.outside}/passwd`;
    await here.savepoint.captureBefore({
      sessionId: 'agent',
      messageId: 'm1',
      paths: ['a.txt', outside],
    });
    here.put('a.txt', 'after');
    const { bytes, receipt } = await exportOf(here.savepoint);
    expect(receipt.leftOut).toEqual([outside]);
    const there = await bed();
    there.put('a.txt', 'after');
    await importOf(there.savepoint, bytes);
    expect((await there.rewind('m1')).restoredFiles).toEqual(['a.txt']);
    expect(there.text('a.txt')).toBe('before');
  });

  it('moves what can be read when some contents are lost', async () => {
    const here = await twoMessages();
    const [first] = await here.savepoint.changes({ paths: ['a.txt' as never] });
    if (first?.before.kind !== 'captured') throw new Error('no content');
    const { DatabaseSync } = await import('node:sqlite');
    await here.savepoint.close();
    const [store] = Object.keys(treeOf(here.home)).filter((name) => name.endsWith('store.db'));
    const database = new DatabaseSync(`${here.home}/${store}`);
    database.exec(`DELETE FROM blobs WHERE hex(hash) = '${first.before.blob?.toUpperCase()}'`);
    database.close();
    await here.reopen();
    const there = await bed();
    copyFiles(here, there);
    const { bytes, receipt } = await exportOf(here.savepoint);
    expect(receipt.unreadable).toBe(1);
    await importOf(there.savepoint, bytes);
    const done = await there.rewind('m1');
    expect(done.errors).toEqual([{ path: 'a.txt', reason: 'before-unknown-damaged' }]);
    expect(done.deletedFiles).toEqual(['b.txt']);
  });
});

describe('an import beside a timeline', () => {
  it('is done once', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    const { bytes } = await exportOf(here.savepoint);
    await importOf(there.savepoint, bytes);
    const record = await recordOf(there.savepoint);
    expect(await importOf(there.savepoint, bytes)).toMatchObject({ imported: false });
    expect(await recordOf(there.savepoint)).toEqual(record);
    expect(await importOf(here.savepoint, bytes)).toMatchObject({ imported: false });
    // What goes on here is another session by now.
    await here.write('m3', 'a.txt', 'four\n');
    await expect(carry(here, there)).rejects.toMatchObject({ code: 'import-conflict' });
    expect(await recordOf(there.savepoint)).toEqual(record);
  });

  it('brings in the other sessions where one of them is here already, and names that one', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    await importOf(there.savepoint, (await exportOf(here.savepoint)).bytes);
    const [known] = await there.savepoint.sessions();
    await here.tool('o1', ['a.txt', 'c.txt'], () => here.put('c.txt', 'other\n'), {
      sessionId: 'other',
    });
    const { bytes } = await exportOf(here.savepoint, { all: true });
    const receipt = await importOf(there.savepoint, bytes);
    expect(receipt).toMatchObject({ imported: true, sessions: 1, checkpoints: 1 });
    expect(receipt.brought.map(({ id }) => id)).toEqual(['other']);
    expect(receipt.alreadyHere.map(({ id }) => id)).toEqual([known?.id]);
    await expectWholeChains(there);
    expect(await importOf(there.savepoint, bytes)).toMatchObject({ imported: false });
    // Both can be taken back here, where the files are as they left them.
    copyFiles(here, there);
    await there.savepoint.rewind({ to: await there.idOf('o1', 'other') });
    expect(Object.keys(there.tree())).not.toContain('c.txt');
    await there.rewind('m1');
    expect(Object.keys(there.tree())).not.toContain('b.txt');
  });

  it('leaves every last known state and every file as it was', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    there.put('a.txt', 'mine\n');
    await there.tool('l1', ['a.txt'], () => there.put('a.txt', 'mine, edited\n'), {
      sessionId: 'local',
    });
    there.put('b.txt', 'never recorded\n');
    const tree = there.tree();
    const [edited] = (await expectWholeChains(there)).values();
    await carry(here, there);
    expect(there.tree()).toEqual(tree);
    const last = await expectWholeChains(there);
    expect(last.get('a.txt')).toEqual(edited);
    expect(last.get('b.txt')).toMatchObject({ size: 'never recorded\n'.length });
    // Neither is the agent's here: taking back what it did elsewhere meets other content.
    const receipt = await there.rewind('m1');
    expect(receipt.conflicts.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    expect(there.tree()).toEqual(tree);
    await there.savepoint.rewind({ to: await there.idOf('l1', 'local') });
    expect(there.text('a.txt')).toBe('mine\n');
  });

  it('is nothing that happened since a checkpoint made here before it', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    copyFiles(here, there);
    const mark = await there.savepoint.checkpoint({ label: 'before the import' });
    await carry(here, there);
    const tree = there.tree();
    for (const take of ['since', 'exact'] as const) {
      const receipt = await there.savepoint.rewind({ to: mark.id, take });
      expect(receipt).toMatchObject({ operationId: null, deletedFiles: [], restoredFiles: [] });
    }
    expect(there.tree()).toEqual(tree);
    // What was done here to the imported files did happen since.
    await there.rewind('m1');
    await there.savepoint.rewind({ to: mark.id });
    expect(there.tree()).toEqual(tree);
  });

  it('leaves undo and redo to what was done here', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    await here.rewind('m2');
    await here.rewind('m1');
    there.put('l.txt', 'old\n');
    await there.tool('l1', ['l.txt'], () => there.put('l.txt', 'new\n'), { sessionId: 'local' });
    await there.savepoint.rewind({ to: await there.idOf('l1', 'local') });
    await there.savepoint.undo();
    await carry(here, there);
    await there.savepoint.redo();
    expect(there.text('l.txt')).toBe('old\n');
    await there.savepoint.undo();
    expect(there.text('l.txt')).toBe('new\n');
    await expect(there.savepoint.undo()).rejects.toMatchObject({ code: 'nothing-to-undo' });
  });

  it('refuses to let anybody into a family that is here', async () => {
    const here = await bed();
    await here.tool('s1', ['sub.txt'], () => here.put('sub.txt', 'sub'), {
      sessionId: 'sub',
      parentSessionId: 'local',
    });
    const there = await bed();
    await there.tool('l1', ['l.txt'], () => there.put('l.txt', 'x'), { sessionId: 'local' });
    await expect(carry(here, there)).rejects.toMatchObject({ code: 'import-conflict' });
  });

  it('waits for nobody: a tool call at work on one of its files refuses it', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    const request = { sessionId: 'local', messageId: 'l1', paths: ['a.txt'], toolCallId: 'call' };
    const open = await there.savepoint.captureBefore(request);
    await expect(carry(here, there)).rejects.toMatchObject({ code: 'session-busy', path: 'a.txt' });
    there.put('a.txt', 'x');
    await there.savepoint.captureAfter(open);
    expect(await carry(here, there)).toMatchObject({ imported: true });
  });

  it('ends a change that nobody closed, as the next capture of the path would', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    there.put('a.txt', 'old');
    const request = { sessionId: 'local', messageId: 'l1', paths: ['a.txt'] };
    await there.savepoint.captureBefore(request);
    there.put('a.txt', 'new');
    await carry(here, there);
    await expectWholeChains(there);
    await there.savepoint.rewind({ to: await there.idOf('l1', 'local') });
    expect(there.text('a.txt')).toBe('old');
  });

  it('is kept from now on, however old it is, and says nothing about scans made here', async () => {
    const here = await bed({ now: () => 1_000_000, scan: true, maxScanEntries: 1 });
    here.put('a.txt', 'one\n');
    here.put('b.txt', 'more than may be scanned\n');
    await here.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1' });
    await here.write('m1', 'a.txt', 'two\n');
    await here.savepoint.archiveSession('agent');
    const there = await bed();
    await carry(here, there);
    await there.savepoint.cleanup();
    const [checkpoint, ...more] = await there.savepoint.list();
    expect(more).toEqual([]);
    expect(checkpoint).toMatchObject({ messageId: 'm1', createdAt: 1_000_000, coverage: 'named' });
  });

  it('of a command that was run elsewhere is nothing to undo here', async () => {
    const [here, there] = [await bed(), await bed()];
    await here.tool('r1', ['a.txt'], () => here.put('a.txt', 'made'), { agent: RUN_AGENT });
    there.put('a.txt', 'made');
    await carry(here, there);
    await expect(there.savepoint.undo()).rejects.toMatchObject({ code: 'nothing-to-undo' });
  });

  it('gives the whole tree of an imported checkpoint where the worktree is scanned', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    copyFiles(here, there);
    there.put('own.txt', 'own\n');
    chmodSync(there.at('own.txt'), 0o600);
    await there.savepoint.scan();
    await carry(here, there);
    const folder = `${there.base}/tree`;
    await there.savepoint.materialize(await there.idOf('m2'), folder);
    expect(Object.keys(treeOf(folder)).sort()).toEqual(['a.txt', 'b.txt', 'own.txt']);
    expect(treeOf(folder)['a.txt']).toContain('two');
    // And the next scan finds nothing, since nothing has happened.
    expect((await there.savepoint.scan()).changes).toEqual([]);
  });

  it('survives the removal of what no checkpoint needs', async () => {
    const [here, there] = [await twoMessages(), await bed()];
    copyFiles(here, there);
    await carry(here, there);
    await there.savepoint.cleanup();
    await there.reopen();
    await there.rewind('m1');
    expect(there.text('a.txt')).toBe('one\n');
  });
});
