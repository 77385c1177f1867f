import { describe, expect, it } from 'vitest';
import { changedPaths, command, message, withProject } from './agent-work.ts';

const place = withProject();

describe('several messages', () => {
  it('can each be returned to, and back again', async () => {
    const { project, savepoint } = place;
    const scripts = [
      'rm -r src',
      'mkdir src; printf 1 > src/a',
      'mv src lib; rm link',
      'rm -r lib docs',
    ];
    const stops = [];
    for (const [at, script] of scripts.entries()) {
      const { id } = await message(savepoint, `m${at}`);
      stops.push({ id, picture: project.picture() });
      const report = await command(savepoint, () => project.sh(script), { message: `m${at}` });
      expect(changedPaths(report)).not.toEqual([]);
    }
    const last = project.picture();
    for (const { id, picture } of stops.toReversed()) {
      await savepoint.rewind({ to: id });
      expect(project.picture()).toEqual(picture);
    }
    for (const { picture } of [...stops.slice(1), { picture: last }]) {
      await savepoint.undo();
      expect(project.picture()).toEqual(picture);
    }
  });

  it('in which a rewind came between go back with it, and undo goes step by step', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    await command(savepoint, () => project.sh('rm -r src; printf x > new'));
    await savepoint.rewind({ to: id });
    await command(savepoint, () =>
      project.sh('rm -r docs; printf y > new; printf z > src/main.txt'),
    );
    const after = project.picture();
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.picture()).toEqual(after);
  });

  it('are taken back one alone, where later ones touched other files', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh('rm -r docs'));
    await message(savepoint, 'm2');
    await command(savepoint, () => project.sh('rm -r src'), { message: 'm2' });
    await savepoint.rewind({ to: id, take: 'message' });
    expect(project.read('docs/guide.md')).toBe('words\n');
    expect(project.picture()).not.toHaveProperty('src');
  });

  it('survive a new process for each step', async () => {
    const { project } = place;
    const { id } = await message(await project.open());
    const before = project.picture();
    await command(await project.open(), () => project.sh('mv src lib; chmod 700 docs; rm link'));
    const after = project.picture();
    await (await project.open()).rewind({ to: id });
    expect(project.picture()).toEqual(before);
    expect((await (await project.open()).scan()).changes).toEqual([]);
    await (await project.open()).undo();
    expect(project.picture()).toEqual(after);
  });
});
