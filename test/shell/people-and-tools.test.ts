import { describe, expect, it } from 'vitest';
import { relativePath } from '../../src/index.ts';
import { changedPaths, command, message, withProject } from './agent-work.ts';

const place = withProject();
const MAIN = relativePath('src/main.txt');

describe('a person’s edit', () => {
  it('between two commands stays', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh('printf agent > src/other.txt'));
    project.sh('printf person > docs/guide.md; printf person > mine.txt; rm link');
    await command(savepoint, () => project.sh('printf agent > docs/empty.txt'));
    await savepoint.rewind({ to: id });
    expect(project.picture()).not.toHaveProperty('link');
    expect(project.picture()).toMatchObject({
      'docs/guide.md': 'file 644 person',
      'mine.txt': 'file 644 person',
      'src/other.txt': 'file 644 alpha\nbeta\n',
      'docs/empty.txt': 'file 644 ',
    });
  });

  it('to a file that the command edited elsewhere stays, by merge', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh("sed -i 's/one/AGENT/' src/main.txt"));
    project.sh("sed -i 's/five/PERSON/' src/main.txt");
    await savepoint.rewind({ to: id });
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nPERSON\n');
  });

  it('after the command, in the same lines, is a conflict and stays', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh("sed -i 's/one/AGENT/' src/main.txt"));
    project.sh("sed -i 's/AGENT/PERSON/' src/main.txt");
    const receipt = await savepoint.rewind({ to: id });
    expect(receipt.conflicts).toEqual([{ path: 'src/main.txt', reason: 'overlapping-edits' }]);
    expect(project.read('src/main.txt')).toBe('PERSON\ntwo\nthree\nfour\nfive\n');
  });

  it('before the command, never scanned by then, is not the command’s', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    project.sh('printf "person\\n" > src/main.txt');
    const report = await command(savepoint, () => project.sh('printf "agent\\n" >> src/main.txt'));
    expect(changedPaths(report)).toEqual(['src/main.txt']);
    await savepoint.rewind({ to: id });
    expect(project.read('src/main.txt')).toBe('person\n');
  });

  it('in a folder that the command made keeps that folder', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh('mkdir made; printf x > made/agent.txt'));
    project.write('made/person.txt', 'mine');
    const receipt = await savepoint.rewind({ to: id });
    expect(receipt.skipped).toEqual([{ path: 'made', reason: 'directory-not-empty' }]);
    expect(project.sh('ls made')).toBe('person.txt\n');
  });
});

describe('a tool that writes while a command runs', () => {
  it('gives one change for its file, not two', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const request = { sessionId: 'agent', messageId: 'm1', paths: ['src/main.txt'] };
    const report = await command(savepoint, async () => {
      const capture = await savepoint.captureBefore(request);
      project.write('src/main.txt', 'tool\n');
      await savepoint.captureAfter(capture);
      project.sh('printf shell > src/other.txt');
    });
    expect(changedPaths(report)).toEqual(['src/other.txt']);
    const changes = await savepoint.changes({ paths: [MAIN] });
    expect(changes.map(({ origin, attribution }) => [origin, attribution])).toEqual([
      ['tool', 'exact'],
    ]);
    await savepoint.rewind({ to: id });
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });

  it('and whose file the command then edits gives two changes, taken back as one', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const request = { sessionId: 'agent', messageId: 'm1', paths: ['src/main.txt'] };
    await command(savepoint, async () => {
      const capture = await savepoint.captureBefore(request);
      project.write('src/main.txt', 'tool\n');
      await savepoint.captureAfter(capture);
      project.sh('printf shell >> src/main.txt');
    });
    const changes = await savepoint.changes({ paths: [MAIN] });
    expect(changes.map(({ origin }) => origin)).toEqual(['tool', 'shell']);
    await savepoint.rewind({ to: id });
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });

  it('and is not done when the command ends has the last word on its file', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const window = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
    const paths = ['src/main.txt'];
    const capture = await savepoint.captureBefore({ sessionId: 'agent', messageId: 'm1', paths });
    project.write('src/main.txt', 'half');
    expect((await savepoint.closeWindow(window.id)).changes).toEqual([]);
    project.write('src/main.txt', 'whole');
    await savepoint.captureAfter(capture);
    const changes = await savepoint.changes({ paths: [MAIN] });
    expect(changes.map(({ origin }) => origin)).toEqual(['tool']);
    await savepoint.rewind({ to: id });
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });

  it('and makes a file that the command deletes again leaves nothing to take back', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    const paths = ['made.txt'];
    const report = await command(savepoint, async () => {
      const capture = await savepoint.captureBefore({ sessionId: 'agent', messageId: 'm1', paths });
      project.write('made.txt', 'x');
      await savepoint.captureAfter(capture);
      project.sh('rm made.txt');
    });
    // No scan has ever seen it, but the record has: its end belongs on record too.
    expect(report.changes).toMatchObject([{ path: 'made.txt', after: { kind: 'absent' } }]);
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
  });
});
