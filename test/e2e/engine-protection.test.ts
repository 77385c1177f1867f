import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';
import { canaryOf } from './tree-of.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

describe('.git', () => {
  const inGit = ['.git/config', '.git/hooks/pre-commit', 'sub/.git/HEAD', '.GIT/config', '.git'];

  it.each(inGit)('is never captured: %s', async (path) => {
    bed.put('sub/file', 'x');
    const capture = await bed.tool('m1', [path], () => undefined);
    expect(capture.changes).toMatchObject([{ before: { kind: 'unknown', reason: 'protected' } }]);
    expect(capture.skipped).toEqual([path]);
    expect((await bed.savepoint.stats()).blobs).toBe(0);
  });

  it('is never written, not even when it is named', async () => {
    bed.put('.git/config', 'before');
    const path = '.git/config';
    await bed.write('m1', path, 'after');
    const git = canaryOf(bed.at('.git'));
    for (const more of [
      {},
      { paths: [path] },
      { paths: ['.git'] },
      { onConflict: 'restore' },
    ] as const) {
      const receipt = await bed.rewind('m1', more);
      expect(receipt).toMatchObject({ restoredFiles: [], deletedFiles: [] });
      expect(receipt.skipped).toEqual([{ path, reason: 'protected' }]);
    }
    expect(canaryOf(bed.at('.git'))).toEqual(git);
  });

  it('is left out of a folder that a tool named', async () => {
    bed.put('repo/.git/config', 'git');
    bed.put('repo/file', 'before');
    await bed.tool('m1', ['repo'], () => {
      bed.put('repo/file', 'after');
      bed.put('repo/.git/index', 'new');
    });
    const git = canaryOf(bed.at('repo/.git'));
    const changes = await bed.savepoint.changes({});
    expect(changes.some((change) => change.path.includes('.git'))).toBe(false);
    await bed.rewind('m1');
    expect(bed.text('repo/file')).toBe('before');
    expect(canaryOf(bed.at('repo/.git'))).toEqual(git);
  });

  it('keeps a folder from being removed with it', async () => {
    await bed.tool('m1', ['repo'], () => {
      bed.put('repo/file', 'made');
      bed.put('repo/.git/config', 'git');
    });
    const receipt = await bed.rewind('m1');
    expect(receipt.skipped).toEqual([{ path: 'repo', reason: 'directory-not-empty' }]);
    expect(bed.text('repo/.git/config')).toBe('git');
  });
});

describe("an agent's own configuration", () => {
  const configuration = [
    '.claude/settings.json',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.opencode/config.json',
    '.mcp.json',
    '.vscode/tasks.json',
    'sub/.vscode/settings.json',
    '.Claude/settings.json',
  ];

  it.each(configuration)('is restored only when asked for by name: %s', async (path) => {
    bed.put(path, 'before');
    await bed.write('m1', path, 'after');
    const skipped = (await bed.rewind('m1')).skipped;
    expect(skipped).toEqual([{ path, reason: 'agent-configuration' }]);
    expect(bed.text(path)).toBe('after');
    expect((await bed.rewind('m1', { paths: [path] })).restoredFiles).toEqual([path]);
    expect(bed.text(path)).toBe('before');
  });

  it('that the agent made is not deleted unless it is named', async () => {
    bed.put('.claude/kept', 'x');
    await bed.write('m1', '.claude/hooks.json', 'made');
    await bed.rewind('m1', { onConflict: 'restore' });
    expect(existsSync(bed.at('.claude/hooks.json'))).toBe(true);
    await bed.rewind('m1', { paths: ['.claude/hooks.json'] });
    expect(existsSync(bed.at('.claude/hooks.json'))).toBe(false);
  });

  it('is not restored by naming the project file beside it', async () => {
    bed.put('.mcp.json', 'before');
    bed.put('file', 'before');
    await bed.write('m1', '.mcp.json', 'after');
    await bed.write('m1', 'file', 'after');
    await bed.rewind('m1', { paths: ['file'] });
    expect([bed.text('file'), bed.text('.mcp.json')]).toEqual(['before', 'after']);
  });

  it('is restored by naming its folder, and not by naming a folder above', async () => {
    bed.put('sub/.claude/settings.json', 'before');
    await bed.write('m1', 'sub/.claude/settings.json', 'after');
    await bed.rewind('m1', { paths: ['sub'] });
    expect(bed.text('sub/.claude/settings.json')).toBe('after');
    await bed.rewind('m1', { paths: ['sub/.claude'] });
    expect(bed.text('sub/.claude/settings.json')).toBe('before');
  });

  it('is not restored by exact either', async () => {
    bed.put('.vscode/tasks.json', 'before');
    await bed.write('m1', '.vscode/tasks.json', 'after');
    const receipt = await bed.rewind('m1', { take: 'exact' });
    expect(receipt.notes).toMatchObject([{ code: 'not-covered', paths: ['.vscode/tasks.json'] }]);
    expect(bed.text('.vscode/tasks.json')).toBe('after');
  });
});

describe('a file outside the project', () => {
  it('that a tool named is captured and listed, and restored only when asked for by name', async () => {
    const path = join(bed.outside, 'notes.txt');
    writeFileSync(path, 'before');
    const capture = await bed.tool('m1', [path], () => writeFileSync(path, 'after'));
    expect(capture.changes.map((change) => change.path)).toEqual([path]);
    expect((await bed.rewind('m1')).skipped).toEqual([{ path, reason: 'outside-project' }]);
    expect((await bed.rewind('m1', { take: 'exact' })).skipped).toMatchObject([{ path }]);
    expect(readFileSync(path, 'utf8')).toBe('after');
    expect((await bed.rewind('m1', { paths: [path] })).restoredFiles).toEqual([path]);
    expect(readFileSync(path, 'utf8')).toBe('before');
  });

  it('named through ".." is the same file', async () => {
    const path = join(bed.outside, 'notes.txt');
    writeFileSync(path, 'before');
    await bed.tool('m1', ['../outside/notes.txt'], () => writeFileSync(path, 'after'));
    await bed.rewind('m1', { paths: [path] });
    expect(readFileSync(path, 'utf8')).toBe('before');
  });

  it('that the agent made goes with its folders when it is named', async () => {
    const path = join(bed.outside, 'new/deep/file');
    await bed.tool('m1', [path], () => {
      mkdirSync(join(bed.outside, 'new/deep'), { recursive: true });
      writeFileSync(path, 'made');
    });
    await bed.rewind('m1', { paths: [path] });
    expect(existsSync(path)).toBe(false);
  });

  it('that nobody named is not reached by a plan', async () => {
    const path = join(bed.outside, 'never-named');
    writeFileSync(path, 'mine');
    await bed.write('m1', 'file', 'x');
    const plan = await bed.savepoint.planRewind({ to: 'latest', paths: [path] });
    expect(plan.lines).toEqual([]);
  });
});

describe("Savepoint's own folder", () => {
  it('is not looked into when a tool names a file in it', async () => {
    const capture = await bed.tool('m1', [join(bed.home, 'projects')], () => undefined);
    expect(capture.skipped).toEqual([join(bed.home, 'projects')]);
    expect(capture.changes).toHaveLength(1);
  });

  it('is left out of a folder that a tool named, whatever appears in it', async () => {
    const home = join(bed.outside, 'home');
    await bed.reopen({ home });
    await bed.tool('m1', [bed.outside], () => {
      writeFileSync(join(bed.outside, 'made'), 'x');
      writeFileSync(join(home, 'made'), 'x');
    });
    const paths = (await bed.savepoint.changes({})).map((change) => change.path);
    expect(paths).toEqual([bed.outside, join(bed.outside, 'made')]);
  });

  it('may not lie inside the project', async () => {
    const inside = bed.reopen({ home: join(bed.root, 'store') });
    await expect(inside).rejects.toMatchObject({ code: 'argument-invalid' });
    rmSync(join(bed.root, 'store'), { recursive: true, force: true });
  });
});
