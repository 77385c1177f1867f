import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
});
afterEach(() => project.remove());

/** Runs a script under Savepoint, and gives what was said on one line. */
async function runs(script: string): Promise<string> {
  const { code, err } = await project.run(['run', '--', 'sh', '-c', script]);
  expect(code).toBe(0);
  return err.replaceAll(/\s+/g, ' ');
}

describe('a rule that an agent writes', () => {
  it.each(['.gitignore', '.savepointignore', '.git/info/exclude'])(
    'into %s does not hide what it does next to files that were in scope',
    async (file) => {
      execFileSync('git', ['init', '--quiet'], { cwd: project.root });
      await runs(`mkdir -p .git/info; echo '*' > ${file}`);
      await runs('echo changed > src/b.txt; rm a.txt');
      expect((await project.run(['undo'])).code).toBe(0);
      expect([project.read('a.txt'), project.read('src/b.txt')]).toEqual(['one\n', 'two\n']);
    },
  );

  it('with a tool that names the file does not hide it either', async () => {
    await project.run(['save']);
    await project.agentWrites('m1', '.gitignore', '*\n');
    await runs('rm a.txt');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('one\n');
  });

  it('still covers files in folders that it hides, though names come and go there', async () => {
    await runs("echo 'src/' > .gitignore");
    await runs('touch src/other');
    await runs('rm src/b.txt');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('src/b.txt')).toBe('two\n');
  });

  it.each(['.gitignore', '.savepointignore'])(
    'into %s is taken back although it hides itself, and new files are recorded again',
    async (file) => {
      await project.run(['save']);
      await runs(`echo '*' > ${file}; echo changed > a.txt`);
      expect((await project.run(['undo'])).code).toBe(0);
      expect([project.read(file), project.read('a.txt')]).toEqual([null, 'one\n']);
      expect(await runs('echo new > new.txt')).not.toContain('hide every name');
      expect((await project.run(['undo'])).code).toBe(0);
      expect(project.read('new.txt')).toBe(null);
    },
  );

  it('is taken back with the next one that it would hide', async () => {
    await runs("echo '*' > .savepointignore");
    await runs("echo '{}' > savepoint.config.json; echo '*' > src/.gitignore");
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('savepoint.config.json')).toBe(null);
    expect(project.read('src/.gitignore')).toBe(null);
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('.savepointignore')).toBe(null);
  });

  it('counts once a person writes rules', async () => {
    await runs("echo 'src/' > .savepointignore");
    project.write('.savepointignore', 'src/\n# mine\n');
    expect(await runs('rm src/b.txt; echo x >> a.txt')).toContain('1 path changed');
  });
});

describe('a rule that hides everything', () => {
  it('is said by the run that wrote it, by later runs, by save and by status', async () => {
    const hidden = 'the ignore rules hide every name in the project';
    expect(await runs("echo '*' > .gitignore")).toContain(hidden);
    const again = await runs('true');
    expect(again.split(hidden)).toHaveLength(2);
    const saved = await project.run(['save']);
    expect(saved.out).not.toContain('the whole worktree');
    expect(saved.err.replaceAll(/\s+/g, ' ')).toContain(hidden);
    expect((await project.run(['status'])).out).toContain('Hidden       every name in the project');
    const { value } = await project.json(['status']);
    expect(value).toMatchObject({ worktree: { hiddenBy: 'rules' } });
  });

  it('is not said by the undo that takes it back', async () => {
    await runs("echo '*' > .gitignore");
    const { code, err } = await project.run(['undo']);
    expect(code).toBe(0);
    expect(err.replaceAll(/\s+/g, ' ')).not.toContain('hide every name');
    expect((await project.run(['status'])).out).not.toContain('Hidden');
  });

  it('is not said of a rule that leaves a name in the project', async () => {
    const said = await runs("printf '/*\\n!/src\\n' > .gitignore");
    expect(said).not.toContain('hide every name');
  });
});

describe('exclude: ["*"] that an agent writes', () => {
  const WRITE = `echo '{"exclude": ["*"]}' > savepoint.config.json`;

  it('leaves what was recorded to be undone', async () => {
    await runs(`${WRITE}; echo changed > a.txt; rm src/b.txt; echo new > c.txt`);
    const undone = await project.run(['undo']);
    expect(undone.code).toBe(0);
    expect([project.read('a.txt'), project.read('src/b.txt')]).toEqual(['one\n', 'two\n']);
    expect([project.read('c.txt'), project.read('savepoint.config.json')]).toEqual([null, null]);
  });

  it('does not hide what comes after it in the configuration', async () => {
    await runs(WRITE);
    await runs('echo \'{"exclude": ["*"], "scan": true}\' > savepoint.config.json');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('savepoint.config.json')).toBe('{"exclude": ["*"]}\n');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('savepoint.config.json')).toBe(null);
  });

  it('lets undo, redo and undo again go through every run before it', async () => {
    await runs(`${WRITE}; echo changed > a.txt`);
    await runs('rm a.txt src/b.txt');
    const steps = [
      ['undo', 'changed\n', 'two\n'],
      ['undo', 'one\n', 'two\n'],
      ['redo', 'changed\n', 'two\n'],
      ['redo', null, null],
      ['undo', 'changed\n', 'two\n'],
      ['undo', 'one\n', 'two\n'],
    ] as const;
    for (const [word, a, b] of steps) {
      const { code, out, err } = await project.run([word]);
      expect({ code, a: project.read('a.txt'), b: project.read('src/b.txt') }, out + err).toEqual({
        code: 0,
        a,
        b,
      });
    }
    expect(project.read('savepoint.config.json')).toBe(null);
  });

  it('leaves a file alone that somebody wrote to since', async () => {
    await runs(`${WRITE}; echo changed > a.txt`);
    project.write('a.txt', 'a person’s\n');
    await project.run(['undo']);
    expect(project.read('a.txt')).toBe('a person’s\n');
  });

  it('is said by runs, by save and by status', async () => {
    const hidden = 'the setting exclude leaves out every file in the project';
    await runs(WRITE);
    expect(await runs('true')).toContain(hidden);
    expect((await project.run(['save'])).out).not.toContain('the whole worktree');
    const { value } = await project.json(['status']);
    expect(value).toMatchObject({ worktree: { hiddenBy: 'exclude' } });
  });
});
