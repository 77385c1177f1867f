import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { command, message, withProject } from './agent-work.ts';

const place = withProject();

/** A tool call that a scan comes into before anything was written. */
async function scannedTool(path: string, work: () => void): Promise<void> {
  const { savepoint } = place;
  const request = { sessionId: 'agent', messageId: 'm1', paths: [path] };
  const capture = await savepoint.captureBefore(request);
  await savepoint.scan();
  work();
  await savepoint.captureAfter(capture);
}

describe('a scan that comes between the two ends of a tool call', () => {
  it('does not hide from the next that the tool’s new file has gone', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    await scannedTool('made.txt', () => project.write('made.txt', 'tool\n'));
    project.sh('rm made.txt');
    const report = await savepoint.scan();
    expect(report.changes).toMatchObject([{ path: 'made.txt', after: { kind: 'absent' } }]);
    const { id } = await message(savepoint, 'm2');
    await command(savepoint, () => project.write('made.txt', 'anew\n'), { message: 'm2' });
    await savepoint.rewind({ to: id });
    expect(project.picture()).not.toHaveProperty(['made.txt']);
  });

  it('does not hide that a folder which the tool removed is there again', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    await scannedTool('empty', () => rmSync(project.at('empty'), { recursive: true }));
    project.sh('mkdir empty');
    const report = await savepoint.scan();
    expect(report.changes).toMatchObject([{ path: 'empty', before: { kind: 'absent' } }]);
    expect((await savepoint.scan()).changes).toEqual([]);
  });

  it('is remembered by a program that begins after it', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    await scannedTool('made.txt', () => project.write('made.txt', 'tool\n'));
    project.sh('rm made.txt');
    const report = await (await project.open()).scan();
    expect(report.changes).toMatchObject([{ path: 'made.txt', after: { kind: 'absent' } }]);
  });

  it('does not make a creation of what a person did to the tool’s new file', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await scannedTool('made.txt', () => project.write('made.txt', 'tool\n'));
    project.write('made.txt', 'tool\nperson\n');
    await savepoint.scan();
    const { conflicts } = await savepoint.rewind({ to: id });
    expect(conflicts).toEqual([{ path: 'made.txt', reason: 'modify-delete' }]);
    expect(project.read('made.txt')).toBe('tool\nperson\n');
  });

  it('leaves a file alone that the tool has not finished', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    const request = { sessionId: 'agent', messageId: 'm1', paths: ['made.txt'] };
    await savepoint.captureBefore(request);
    for (const content of ['one', 'two']) {
      project.write('made.txt', content);
      expect((await savepoint.scan()).changes).toEqual([]);
    }
  });
});
