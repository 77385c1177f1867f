import { describe, expect, it } from 'vitest';
import { command, message, withProject } from './agent-work.ts';

const place = withProject();

describe('a scan that may take no time', () => {
  it('leaves a gap, and the next complete one finds what was done, as shared', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    const window = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
    project.sh('printf x > src/main.txt; printf y > new.txt');
    const hurried = await project.open({ scanDeadlineMs: 0 });
    const report = await hurried.closeWindow(window.id);
    expect(report).toMatchObject({ coverage: 'deadline', changes: [] });
    expect(report.notice).toContain('too long');
    const found = await savepoint.scan();
    expect(found.changes).toMatchObject([
      { path: 'src/main.txt', sessionId: 'agent', attribution: 'shared' },
      { path: 'new.txt', sessionId: 'agent', attribution: 'shared' },
    ]);
    expect((await savepoint.status()).running).toEqual([]);
    expect((await savepoint.rewind({ to: id })).skipped).toHaveLength(2);
    await savepoint.rewind({ to: id, includeShared: true });
    expect(project.picture()).toEqual(before);
  });

  it('is on record with the checkpoint at which it gave up', async () => {
    const { project, savepoint } = place;
    expect((await message(savepoint)).coverage).toBe('scanned');
    const hurried = await project.open({ scanDeadlineMs: 0 });
    expect((await message(hurried, 'm2')).coverage).toBe('deadline');
    expect((await message(savepoint, 'm3')).coverage).toBe('scanned');
  });

  it('makes a later command’s changes shared: they can be older than it', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    const hurried = await project.open({ scanDeadlineMs: 0 });
    project.sh('printf person > docs/guide.md');
    const window = await hurried.openWindow({ sessionId: 'agent', messageId: 'm2' });
    project.sh('printf agent > src/main.txt');
    const { changes } = await savepoint.closeWindow(window.id);
    expect(changes.map(({ attribution }) => attribution)).toEqual(['shared', 'shared']);
    const receipt = await savepoint.rewind({ to: window.checkpointId });
    expect(receipt.restoredFiles).toEqual([]);
    expect(project.read('docs/guide.md')).toBe('person');
  });

  it('makes a command’s changes shared, too, where only the command tells of it', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const hurried = await project.open({ scanDeadlineMs: 0 });
    project.sh('printf person > docs/guide.md');
    const window = await hurried.openWindow({ sessionId: 'agent', messageId: 'm1' });
    project.sh('printf agent > src/main.txt');
    const { changes } = await savepoint.closeWindow(window.id);
    expect(changes.map(({ attribution }) => attribution)).toEqual(['shared', 'shared']);
    await savepoint.rewind({ to: id });
    expect(project.read('docs/guide.md')).toBe('person');
    const later = await command(savepoint, () => project.sh('printf later > src/main.txt'));
    expect(later.changes).toMatchObject([{ attribution: 'inferred' }]);
  });

  it('makes no baseline, and the next one does', async () => {
    const { project, savepoint } = place;
    const hurried = await project.open({ scanDeadlineMs: 0 });
    const { id, coverage } = await message(hurried);
    expect(coverage).toBe('deadline');
    expect((await savepoint.status()).worktree).toBeNull();
    const written = savepoint.materialize(id, `${project.scratch}/written`);
    await expect(written).rejects.toMatchObject({ code: 'not-covered' });
    expect((await message(savepoint, 'm2')).coverage).toBe('scanned');
  });
});

describe('a worktree past a limit', () => {
  it('of entries is not covered, and says so', async () => {
    const { project } = place;
    const small = await project.open({ maxScanEntries: 5 });
    const before = project.picture();
    const { id, coverage } = await message(small);
    expect(coverage).toBe('too-many-entries');
    const report = await command(small, () => project.sh('rm src/main.txt; printf x > new'));
    expect(report).toMatchObject({ coverage: 'too-many-entries', changes: [] });
    expect(report.notice).toContain('maxScanEntries');
    const after = project.picture();
    expect(after).not.toEqual(before);
    // Nothing is on record, so nothing is touched.
    await small.rewind({ to: id });
    expect(project.picture()).toEqual(after);
  });

  it('of bytes to copy is not covered, and says so', async () => {
    const { project } = place;
    const small = await project.open({ maxCopyBytes: 50 });
    const { id, coverage } = await message(small);
    expect(coverage).toBe('too-large');
    const { notice } = await small.scan();
    expect(notice).toContain('maxCopyBytes');
    expect((await small.status()).worktree).toBeNull();
    project.sh('rm src/main.txt');
    await small.rewind({ to: id });
    expect(project.picture()).not.toHaveProperty('src/main.txt');
  });

  it('is covered once the limit is raised', async () => {
    const { project, savepoint } = place;
    const small = await project.open({ maxScanEntries: 5 });
    await message(small);
    const { id, coverage } = await message(savepoint, 'm2');
    expect(coverage).toBe('scanned');
    const before = project.picture();
    await command(savepoint, () => project.sh('rm -r src'), { message: 'm2' });
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
  });

  it('that a command brought about keeps what was on record before', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    const limited = await project.open({ maxScanEntries: Object.keys(before).length + 5 });
    const script = 'printf x > src/main.txt; mkdir many; for i in $(seq 20); do : > many/$i; done';
    const report = await command(limited, () => project.sh(script));
    expect(report.coverage).toBe('too-many-entries');
    await savepoint.scan();
    await savepoint.rewind({ to: id, includeShared: true });
    expect(project.picture()).toEqual(before);
  });

  it('of tools still lets the files that they name be taken back', async () => {
    const { project } = place;
    const small = await project.open({ maxScanEntries: 5 });
    const paths = ['src/main.txt'];
    const capture = await small.captureBefore({ sessionId: 'agent', messageId: 'm1', paths });
    project.write('src/main.txt', 'tool');
    await small.captureAfter(capture);
    await small.rewind({ to: capture.checkpointId });
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });
});

describe('a folder that is no project', () => {
  it('is refused: the root of the file system, and a home directory', async () => {
    const { project } = place;
    await expect(project.open({ project: '/' })).rejects.toMatchObject({ code: 'project-refused' });
    const home = project.open({ project: project.user, refusedProjects: [project.user] });
    await expect(home).rejects.toMatchObject({ code: 'project-refused' });
  });
});
