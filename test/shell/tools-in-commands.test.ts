import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { authorsOf, command, message, tool, withProject } from './agent-work.ts';

const place = withProject({ keepIgnored: false });
const LINES = 'one\ntwo\nthree\nfour\nfive\n';

describe('what a running command has written when a tool comes to the same file', () => {
  it('is the command’s, and is taken back with what the tool did', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    await command(savepoint, async () => {
      project.sh("sed -i 's/one/SHELL/' src/main.txt");
      await tool(savepoint, 'src/main.txt', () => project.sh("sed -i 's/five/TOOL/' src/main.txt"));
    });
    expect(await authorsOf(savepoint, 'src/main.txt')).toEqual([
      ['shell', 'agent', 'inferred'],
      ['tool', 'agent', 'exact'],
    ]);
    const after = project.picture();
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.picture()).toEqual(after);
  });

  it('goes as a whole where the command had made the file', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, async () => {
      project.write('made.txt', 'shell\n');
      await tool(savepoint, 'made.txt', () => project.write('made.txt', 'tool\n'));
    });
    expect(await authorsOf(savepoint, 'made.txt')).toEqual([
      ['shell', 'agent', 'inferred'],
      ['tool', 'agent', 'exact'],
    ]);
    const { deletedFiles } = await savepoint.rewind({ to: id });
    expect(deletedFiles).toEqual(['made.txt']);
    await savepoint.undo();
    expect(project.read('made.txt')).toBe('tool\n');
  });

  it('stays where the command is another session’s', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint, 'n1', 'other');
    await command(savepoint, async () => {
      project.sh("sed -i 's/one/SHELL/' src/main.txt");
      const edit = () => project.sh("sed -i 's/five/TOOL/' src/main.txt");
      await tool(savepoint, 'src/main.txt', edit, { session: 'other', message: 'n1' });
    });
    await savepoint.rewind({ to: id });
    expect(project.read('src/main.txt')).toBe(LINES.replace('one', 'SHELL'));
  });

  it('is shared where two commands could have written it', async () => {
    const { project, savepoint } = place;
    await command(savepoint, async () => {
      const other = { session: 'other', message: 'n1' };
      const both = async () => {
        project.sh("sed -i 's/one/SHELL/' src/main.txt");
        await tool(savepoint, 'src/main.txt', () => undefined);
      };
      await command(savepoint, both, other);
    });
    const [first] = await authorsOf(savepoint, 'src/main.txt');
    expect(first).toEqual(['shell', 'other', 'shared']);
  });

  it('is shared where the worktree could not be scanned before the command', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    const hasty = await project.open({ scanDeadlineMs: 0 });
    const work = { session: 'agent', message: 'm2' };
    const window = await hasty.openWindow({ sessionId: 'agent', messageId: 'm2' });
    project.sh("sed -i 's/one/WHO/' src/main.txt");
    await tool(savepoint, 'src/main.txt', () => undefined, work);
    const [first] = await authorsOf(savepoint, 'src/main.txt');
    expect(first).toEqual(['shell', 'agent', 'shared']);
    await savepoint.closeWindow(window.id);
  });
});

describe('what a person did to a file that scans leave out', () => {
  it('is not put down to a command that began later', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    await tool(savepoint, 'local.env', () => project.write('local.env', 'tool\n'));
    project.write('local.env', 'person\n');
    await command(savepoint, () =>
      tool(savepoint, 'local.env', () => project.write('local.env', 'tool again\n')),
    );
    expect(await authorsOf(savepoint, 'local.env')).toEqual([
      ['tool', 'agent', 'exact'],
      ['outside', null, 'exact'],
      ['tool', 'agent', 'exact'],
    ]);
  });

  it('or a command, where a tool has looked since the command began, is the command’s', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    await command(savepoint, async () => {
      await tool(savepoint, 'local.env', () => project.write('local.env', 'tool\n'));
      project.sh('printf shell > local.env');
      await tool(savepoint, 'local.env', () => project.write('local.env', 'tool again\n'));
    });
    const [, second] = await authorsOf(savepoint, 'local.env');
    expect(second).toEqual(['shell', 'agent', 'inferred']);
  });
});

describe('a file that a person made after a scan and a tool then edited', () => {
  it('stays, without the tool’s edit', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    project.write('mine.txt', 'person\n');
    await tool(savepoint, 'mine.txt', () => project.write('mine.txt', 'person\ntool\n'));
    await savepoint.rewind({ to: id });
    expect(project.read('mine.txt')).toBe('person\n');
    await savepoint.undo();
    expect(project.read('mine.txt')).toBe('person\ntool\n');
  });

  it('goes where the tree is wanted exactly as it was, and comes back with undo', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    project.write('mine.txt', 'person\n');
    await tool(savepoint, 'mine.txt', () => project.write('mine.txt', 'person\ntool\n'));
    await savepoint.rewind({ to: id, take: 'exact' });
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.read('mine.txt')).toBe('person\ntool\n');
  });

  it('goes also where another program has scanned, and this one never did', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    project.write('new/mine.txt', 'person\n');
    const other = await project.open();
    await tool(other, 'new/mine.txt', () => project.write('new/mine.txt', 'tool\n'));
    await other.rewind({ to: id, take: 'exact' });
    expect(existsSync(project.at('new/mine.txt'))).toBe(false);
  });

  it('is never deleted where the scan could not have seen it', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    project.write('out/mine.o', 'person\n');
    await tool(savepoint, 'out/mine.o', () => project.write('out/mine.o', 'tool\n'));
    await savepoint.rewind({ to: id, take: 'exact' });
    expect(project.read('out/mine.o')).toBe('person\n');
  });

  it('is never deleted where the rule that hid it went since', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    project.sh("sed -i '/local.env/d' .gitignore");
    await tool(savepoint, 'local.env', () => project.write('local.env', 'tool\n'));
    await savepoint.rewind({ to: id, take: 'exact' });
    expect(project.read('local.env')).toBe('logged\n');
  });
});
