import { describe, expect, it } from 'vitest';
import type { Attribution, ScanReport } from '../../src/index.ts';
import { command, message, withProject } from './agent-work.ts';

const place = withProject();

/** Who the changes of a report are put down to. */
function authors({ changes }: ScanReport): (readonly [string, string | null, Attribution])[] {
  return changes.map(({ path, sessionId, attribution }) => [path, sessionId, attribution]);
}

/** Two windows that overlap, with a command in each that runs beside the other. */
async function sideBySide(second: { sessionId: string; messageId: string }): Promise<ScanReport[]> {
  const { project, savepoint } = place;
  const one = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
  const two = await savepoint.openWindow(second);
  const codes = await Promise.all([
    project.start('for i in $(seq 20); do printf "%s\\n" $i > src/main.txt; done'),
    project.start('for i in $(seq 20); do printf "%s\\n" $i > docs/guide.md; done'),
  ]);
  expect(codes).toEqual([0, 0]);
  return [await savepoint.closeWindow(one.id), await savepoint.closeWindow(two.id)];
}

describe('two commands at once', () => {
  it('of one message are taken back together', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    const reports = await sideBySide({ sessionId: 'agent', messageId: 'm1' });
    expect(reports.flatMap(authors)).toEqual([
      ['docs/guide.md', 'agent', 'inferred'],
      ['src/main.txt', 'agent', 'inferred'],
    ]);
    const after = project.picture();
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.picture()).toEqual(after);
  });

  it('of two sessions are shared, and left alone unless they are asked for', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint, 'n1', 'other');
    const before = project.picture();
    const [first] = await sideBySide({ sessionId: 'other', messageId: 'n1' });
    expect(first?.changes.map(({ attribution }) => attribution)).toEqual(['shared', 'shared']);
    const after = project.picture();
    const receipt = await savepoint.rewind({ to: id });
    expect(receipt.skipped).toEqual([
      { path: 'docs/guide.md', reason: 'shared-attribution' },
      { path: 'src/main.txt', reason: 'shared-attribution' },
    ]);
    expect(project.picture()).toEqual(after);
    await savepoint.rewind({ to: id, includeShared: true });
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.picture()).toEqual(after);
  });

  it('of two sessions belong to both: each names them, and either takes them back', async () => {
    const { project, savepoint } = place;
    const { id: first } = await message(savepoint);
    const { id: second } = await message(savepoint, 'n1', 'other');
    const before = project.picture();
    await sideBySide({ sessionId: 'other', messageId: 'n1' });
    const after = project.picture();
    for (const to of [first, second]) {
      const { skipped } = await savepoint.rewind({ to });
      expect(skipped.map(({ path }) => path)).toEqual(['docs/guide.md', 'src/main.txt']);
      expect(project.picture()).toEqual(after);
      await savepoint.rewind({ to, includeShared: true });
      expect(project.picture()).toEqual(before);
      const listed = await savepoint.list({ kinds: ['message'] });
      expect(listed.map(({ files, takenBack }) => [files, takenBack])).toEqual([
        [2, 'yes'],
        [2, 'yes'],
      ]);
      await savepoint.undo();
      expect(project.picture()).toEqual(after);
      expect((await savepoint.inspect(to)).changes).toHaveLength(2);
    }
  });

  it('of two messages of one session are taken back with the session, and not with one message', async () => {
    const { project, savepoint } = place;
    const { id: first } = await message(savepoint);
    const { id: second } = await message(savepoint, 'm2');
    const before = project.picture();
    const reports = await sideBySide({ sessionId: 'agent', messageId: 'm2' });
    expect(reports.flatMap(authors).map(([, , attribution]) => attribution)).toEqual([
      'inferred',
      'inferred',
    ]);
    for (const to of [first, second]) {
      const { skipped } = await savepoint.rewind({ to, take: 'message' });
      expect(skipped.map(({ path }) => path)).toEqual(['docs/guide.md', 'src/main.txt']);
    }
    await savepoint.rewind({ to: first });
    expect(project.picture()).toEqual(before);
  });

  it('are told apart where they ran one after the other within overlapping windows', async () => {
    const { project, savepoint } = place;
    const one = await savepoint.openWindow({ sessionId: 'one', messageId: 'm' });
    project.sh('printf one > 1.txt');
    // Before the second opens, what is there can only be the first one's.
    const two = await savepoint.openWindow({ sessionId: 'two', messageId: 'm' });
    project.sh('printf both > 2.txt');
    const first = await savepoint.closeWindow(one.id);
    project.sh('printf two > 3.txt');
    const last = await savepoint.closeWindow(two.id);
    expect(authors(first)).toEqual([['2.txt', 'two', 'shared']]);
    expect(authors(last)).toEqual([['3.txt', 'two', 'inferred']]);
    const changes = await savepoint.changes({ sessionIds: ['one'] });
    expect(changes.map(({ path, attribution }) => [path, attribution])).toEqual([
      ['1.txt', 'inferred'],
      ['2.txt', 'shared'],
    ]);
  });
});

describe('two sessions, one after the other', () => {
  it('are taken back separately', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh("sed -i 's/one/ONE/' src/main.txt"));
    const other = { session: 'other', message: 'n1' };
    await command(savepoint, () => project.sh("sed -i 's/five/FIVE/' src/main.txt"), other);
    const receipt = await savepoint.rewind({ to: id });
    expect(receipt.mergedFiles).toEqual(['src/main.txt']);
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nFIVE\n');
  });

  it('leave a file to the one that deleted it last', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh('printf x > src/main.txt'));
    const other = { session: 'other', message: 'n1' };
    await command(savepoint, () => project.sh('rm src/main.txt'), other);
    const receipt = await savepoint.rewind({ to: id });
    expect(receipt.conflicts).toEqual([{ path: 'src/main.txt', reason: 'modify-delete' }]);
  });

  it('come back both when the tree is wanted exactly as it was', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    await command(savepoint, () => project.sh('rm -r src; printf x > new'));
    const other = { session: 'other', message: 'n1' };
    await command(savepoint, () => project.sh('mkdir src; printf y > src/new; rm link'), other);
    project.sh('printf person > docs/guide.md');
    await savepoint.scan();
    const after = project.picture();
    await savepoint.rewind({ to: id, take: 'exact' });
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.picture()).toEqual(after);
  });
});
