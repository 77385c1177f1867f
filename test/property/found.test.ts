import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeDirectory } from '../../src/engine/project.ts';
import { type CheckpointId, openSavepoint, type Savepoint } from '../../src/index.ts';
import { Disk } from './disk.ts';
import { makeScratch } from './scratch.ts';

let scratch: string;
let disk: Disk;
let savepoint: Savepoint;

beforeEach(async () => {
  scratch = makeScratch();
  disk = new Disk(join(scratch, 'project'));
  mkdirSync(disk.root);
  savepoint = await openSavepoint({ project: disk.root, home: home() });
});

afterEach(async () => {
  await savepoint.close();
  rmSync(scratch, { recursive: true });
});

// Each of these was a sequence that failed once, cut down to what mattered.
describe('what random sequences have found', () => {
  it('records nothing when an exact rewind is repeated', async () => {
    write('a', 'old\n');
    const to = await agent('s1', ['a'], () => write('a', 'new\n'));
    await savepoint.rewind({ to, take: 'exact' });
    expect((await savepoint.rewind({ to, take: 'exact' })).operationId).toBeNull();
    await savepoint.undo();
    expect(disk.content('a')).toBe('new\n');
  });

  it('records nothing either when it had to make a folder again', async () => {
    await agent('s1', ['d/a'], () => write('d/a', 'text\n'));
    const { id: to } = await savepoint.checkpoint();
    await agent('s1', ['d/a'], () => remove('d/a'));
    remove('d');
    await savepoint.rewind({ to, take: 'exact' });
    expect(disk.content('d/a')).toBe('text\n');
    expect((await savepoint.rewind({ to, take: 'exact' })).operationId).toBeNull();
  });

  it('puts a link back where a folder with entries has taken its place', async () => {
    link('n', 'elsewhere');
    const to = await agent('s1', ['n'], () => {
      remove('n');
      write('n/a', 'text\n');
    });
    await savepoint.rewind({ to });
    expect(disk.read()).toEqual(new Map([['n', 'link to elsewhere']]));
  });

  it('makes a folder where a file has to go, for what comes back below', async () => {
    write('d/a', 'text\n');
    await agent('s1', ['d/a'], () => remove('d'));
    const [to] = await savepoint.list();
    await agent('s1', ['d'], () => write('d', 'a file now\n'));
    await savepoint.rewind({ to: to?.id ?? '' });
    expect(disk.content('d/a')).toBe('text\n');
  });

  it('gives that folder the mode that it had', async () => {
    write('d/a', 'text\n');
    disk.put('d', { kind: 'folder', mode: 0o700 });
    const to = await agent('s2', ['d/a'], () => remove('d/a'));
    await agent('s1', ['d'], () => remove('d'));
    await agent('s2', ['d'], () => write('d', 'a file now\n'));
    await savepoint.rewind({ to });
    expect(disk.read().get('d')).toBe('folder 700');
  });

  it('gives a folder that it makes again the mode that it was last seen with', async () => {
    write('d/a', 'text\n');
    disk.put('d', { kind: 'folder', mode: 0o755 });
    const chmod = await agent('s1', ['d'], () => disk.put('d', { kind: 'folder', mode: 0o775 }));
    const to = await agent('s2', ['d/a'], () => remove('d/a'));
    await savepoint.rewind({ to: chmod });
    remove('d');
    await savepoint.rewind({ to });
    expect(disk.read().get('d')).toBe('folder 755');
  });

  it('gives a folder that only the first scan has seen its own mode', async () => {
    write('d/a', 'text\n');
    disk.put('d', { kind: 'folder', mode: 0o700 });
    await command('s1', () => undefined);
    const to = await agent('s1', ['d/a'], () => remove('d/a'));
    remove('d');
    await savepoint.rewind({ to });
    expect(disk.read().get('d')).toBe('folder 700');
  });

  it('gives a folder its own mode although its changes were cleaned up', async () => {
    write('d/a', 'text\n');
    disk.put('d', { kind: 'folder', mode: 0o755 });
    await agent('s1', ['d'], () => disk.put('d', { kind: 'folder', mode: 0o700 }));
    await cleanUp();
    const to = await agent('s1', ['d/a'], () => remove('d/a'));
    remove('d');
    await savepoint.rewind({ to });
    expect(disk.read().get('d')).toBe('folder 700');
  });

  it('leaves a conflict alone although something below it would come back', async () => {
    write('d/a', 'text\n');
    const to = await agent('s1', ['d'], () => {
      remove('d/a');
      disk.put('d', { kind: 'folder', mode: 0o700 });
    });
    remove('d');
    const { conflicts } = await savepoint.rewind({ to });
    expect(conflicts.map(({ path }) => path)).toEqual(['d', 'd/a']);
    expect(disk.read().size).toBe(0);
  });

  it('does not bring back what a person had deleted before a tool made it anew', async () => {
    write('d/a', 'first\n');
    await agent('s1', ['d/a'], () => write('d/a', 'second\n'));
    remove('d/a');
    const { id: to } = await savepoint.checkpoint({ sessionId: 's1' });
    await agent('s1', ['d'], () => write('d/a', 'third\n'));
    await savepoint.rewind({ to });
    expect([...disk.read().keys()]).toEqual(['d']);
  });

  it('deletes a created file once the lines of others were taken out of it', async () => {
    const to = await agent('s1', ['a'], () => write('a', '1\n2\n3\n4\n5\n'));
    const other = await agent('s2', ['a'], () => write('a', '1\n2\n3\n4\nfive\n'));
    await agent('s1', ['a'], () => write('a', 'one\n2\n3\n4\nfive\n'));
    await agent('s2', ['a'], () => write('a', 'one\n2\nthree\n4\nfive\n'));
    await savepoint.rewind({ to: other });
    expect(disk.content('a')).toBe('one\n2\n3\n4\n5\n');
    await savepoint.rewind({ to });
    expect(disk.read().size).toBe(0);
  });

  it('merges across a tool call that came to nothing', async () => {
    write('a', 'old\n');
    const to = await agent('s1', ['a'], () => remove('a'));
    await agent('s2', ['a'], () => undefined);
    await agent('s1', ['a'], () => write('a', 'new\n'));
    chmodSync(join(disk.root, 'a'), 0o600);
    expect((await savepoint.rewind({ to })).conflicts).toEqual([]);
    expect(disk.read().get('a')).toBe('file 600 old\n');
  });

  it('sees that binary content is already back, whatever became of the mode', async () => {
    write('a', 'old\0');
    const to = await agent('s1', ['a'], () => write('a', 'new\0'));
    write('a', 'old\0');
    chmodSync(join(disk.root, 'a'), 0o755);
    expect((await savepoint.rewind({ to })).conflicts).toEqual([]);
  });

  it('returns to a point although the older ones were cleaned up', async () => {
    write('a', 'old\n');
    const first = await agent('s1', ['a'], () => write('a', 'one\n'));
    const { id: to } = await savepoint.checkpoint();
    await agent('s1', ['a'], () => write('a', 'two\n'));
    await savepoint.rewind({ to: first });
    await savepoint.evict([first]);
    await savepoint.cleanup({ retentionDays: 0 });
    await savepoint.rewind({ to });
    expect(disk.content('a')).toBe('one\n');
  });

  it('undoes a rewind although its safety checkpoint was evicted and the rest cleaned up', async () => {
    write('a', 'old\n');
    const to = await agent('s1', ['a'], () => write('a', 'new\n'));
    await savepoint.rewind({ to });
    await savepoint.evict((await savepoint.list()).map(({ id }) => id));
    await savepoint.cleanup();
    await savepoint.undo();
    expect(disk.content('a')).toBe('new\n');
  });

  it('returns to a point although an exact rewind took a person back in between', async () => {
    write('a', '1\n2\n3\n');
    const { id: to } = await savepoint.checkpoint();
    const first = await agent('s1', ['a'], () => write('a', 'one\n2\n3\n'));
    await savepoint.rewind({ to: first });
    write('a', '1\n2\nthree\n');
    await savepoint.undo();
    const [, before] = await savepoint.list();
    await savepoint.rewind({ to: before?.id ?? '', take: 'exact' });
    expect(disk.content('a')).toBe('one\n2\n3\n');
    await savepoint.rewind({ to: first });
    await savepoint.rewind({ to });
    expect(disk.content('a')).toBe('1\n2\nthree\n');
  });

  it('leaves to a person what came between a tool call and the first scan', async () => {
    await agent('s1', ['a'], () => write('a', 'by a tool\n'));
    write('a', 'by a person\n');
    const to = await command('s1', () => write('a', 'by a command\n'));
    await savepoint.rewind({ to });
    expect(disk.content('a')).toBe('by a person\n');
  });

  it('sees what came and went between two scans, although its changes were cleaned up', async () => {
    await command('s1', () => undefined);
    await agent('s1', ['a'], () => write('a', 'first\n'));
    await cleanUp();
    remove('a');
    const to = await command('s2', () => write('a', 'second\n'));
    await savepoint.rewind({ to });
    expect(disk.read().size).toBe(0);
  });

  it('sees without an index what has gone, although its changes were cleaned up', async () => {
    await command('s1', () => write('a', 'first\n'));
    await cleanUp();
    remove('a');
    await loseIndex();
    const to = await command('s2', () => write('a', 'second\n'));
    await savepoint.rewind({ to });
    expect(disk.read().size).toBe(0);
  });
});

/** A tool call that names these paths, in a message of its own. Returns its checkpoint. */
async function agent(sessionId: string, paths: string[], work: () => void): Promise<CheckpointId> {
  const messageId = `m${(await savepoint.list()).length}`;
  const capture = await savepoint.captureBefore({ sessionId, messageId, paths });
  work();
  await savepoint.captureAfter(capture);
  return capture.checkpointId;
}

/** A command that names nothing, in a message of its own. Returns its checkpoint. */
async function command(sessionId: string, work: () => void): Promise<CheckpointId> {
  const messageId = `m${(await savepoint.list()).length}`;
  const { id, checkpointId } = await savepoint.openWindow({ sessionId, messageId });
  work();
  await savepoint.closeWindow(id);
  return checkpointId;
}

/** Nothing old can be returned to any more, so what was said about it goes. */
async function cleanUp(): Promise<void> {
  await savepoint.evict((await savepoint.list()).map(({ id }) => id));
  await savepoint.cleanup({ retentionDays: 0 });
}

async function loseIndex(): Promise<void> {
  await savepoint.close();
  rmSync(join(storeDirectory(home(), disk.root), 'scan.index'));
  savepoint = await openSavepoint({ project: disk.root, home: home() });
}

function home(): string {
  return join(scratch, 'home');
}

function write(path: string, text: string): void {
  mkdirSync(join(disk.root, path, '..'), { recursive: true });
  writeFileSync(join(disk.root, path), text);
}

function link(path: string, target: string): void {
  symlinkSync(target, join(disk.root, path));
}

function remove(path: string): void {
  rmSync(join(disk.root, path), { recursive: true });
}
