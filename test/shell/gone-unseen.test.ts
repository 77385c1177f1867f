import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { authorsOf, command, message, tool, withProject } from './agent-work.ts';

const place = withProject();
const GUIDE = 'docs/guide.md';
let hidden: string;

/** A person's rule hides the docs, the guide goes, and the rule as well. */
beforeEach(async () => {
  const { project, savepoint } = place;
  await message(savepoint, 'm0');
  project.sh("printf 'docs/\\n' > .savepointignore");
  hidden = (await message(savepoint, 'hidden')).id;
  project.sh(`rm ${GUIDE} .savepointignore`);
});

describe('a file that went while it was ignored', () => {
  it('and that a command makes anew goes again with a rewind', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    await command(savepoint, () => project.write(GUIDE, 'anew\n'));
    const after = project.picture();
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.picture()).toEqual(after);
  });

  it('and that a command makes anew, as it was, goes again as well', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.write(GUIDE, 'words\n'));
    await savepoint.rewind({ to: id });
    expect(existsSync(project.at(GUIDE))).toBe(false);
  });

  it('and that a tool makes anew goes again, whoever removed it before', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => tool(savepoint, GUIDE, () => project.write(GUIDE, 'anew\n')));
    expect((await authorsOf(savepoint, GUIDE)).map(([origin]) => origin)).toEqual([
      'outside',
      'outside',
      'tool',
    ]);
    await savepoint.rewind({ to: id });
    expect(existsSync(project.at(GUIDE))).toBe(false);
  });

  it('and that a command makes anew and a tool edits goes with both', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, async () => {
      project.write(GUIDE, 'anew\n');
      await tool(savepoint, GUIDE, () => project.write(GUIDE, 'anew and more\n'));
    });
    await savepoint.rewind({ to: id });
    expect(existsSync(project.at(GUIDE))).toBe(false);
  });

  it('is named, not brought back, where the tree is wanted as it was when nobody looked', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    await command(savepoint, () => project.write(GUIDE, 'anew\n'));
    const receipt = await savepoint.rewind({ to: hidden, take: 'exact' });
    expect(receipt.skipped).toEqual([{ path: GUIDE, reason: 'before-unknown-not-seen' }]);
    expect(project.read(GUIDE)).toBe('anew\n');
  });
});

describe('a file that was replaced while it was ignored', () => {
  it('is named, not overwritten, where the tree is wanted as it was when nobody looked', async () => {
    const { project, savepoint } = place;
    project.write(GUIDE, 'a person’s\n');
    await message(savepoint);
    const receipt = await savepoint.rewind({ to: hidden, take: 'exact' });
    expect(receipt.skipped).toEqual([{ path: GUIDE, reason: 'before-unknown-not-seen' }]);
    expect(project.read(GUIDE)).toBe('a person’s\n');
  });
});

describe('a file that an agent made, that went unseen and was made anew', () => {
  it('goes where the tree is wanted as it was before all that', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    await command(savepoint, () => project.write('report.txt', 'first\n'));
    project.sh("printf 'report.txt\\n' > .savepointignore");
    await savepoint.scan();
    project.sh('rm report.txt .savepointignore');
    await message(savepoint, 'm2');
    await command(savepoint, () => project.write('report.txt', 'second\n'), { message: 'm2' });
    await savepoint.rewind({ to: id, take: 'exact' });
    expect(project.picture()).toEqual(before);
  });
});
