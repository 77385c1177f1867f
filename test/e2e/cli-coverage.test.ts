import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, runNode } from './cli-project.ts';
import { asOrdinaryUser } from './ordinary-user.ts';
import { removeScratch } from './scratch.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'one\n' });
});
afterEach(() => {
  // Node cannot remove a path that is longer than the system lets it name.
  execFileSync('rm', ['-rf', project.path('deep')]);
  removeScratch(project.scratch);
});

function writeLarge(name: string): void {
  writeFileSync(project.path(name), Buffer.alloc(11 * 1024 * 1024));
}

/** Makes folders in each other until a file in them has a path of more than 4,096 bytes. */
async function writeDeep(): Promise<void> {
  const script = `
    const { mkdirSync, writeFileSync } = require('node:fs');
    const name = 'd'.repeat(250);
    mkdirSync('deep');
    process.chdir('deep');
    for (let depth = 0; depth < 17; depth += 1) {
      mkdirSync(name);
      process.chdir(name);
    }
    writeFileSync('file', 'x');`;
  const { code, err } = await runNode(['-e', script], { cwd: project.root, env: project.env() });
  expect({ code, err }).toEqual({ code: 0, err: '' });
}

describe('a save', () => {
  it('says that it covers the whole worktree only when every file is on record', async () => {
    expect((await project.run(['save'])).out).toMatch(/, which covers the whole worktree\.\n/);
    writeLarge('large.bin');
    const said = await project.run(['save']);
    expect(said.out).toMatch(/, which covers the worktree except 1 path; see savepoint status\.\n/);
    const { value } = await project.json(['save']);
    expect(value).toMatchObject({ coverage: 'scanned', notCovered: 1 });
  });

  it('counts a folder whose files have paths of more than 4,096 bytes', async () => {
    await writeDeep();
    expect((await project.run(['save'])).out).toContain('the worktree except 1 path');
    const { out } = await project.run(['status']);
    expect(out).toMatch(/Not covered {2}1 path\n +deep\/.*a path of more than 4,096 bytes/);
  });
});

describe('status', () => {
  it('lists unreadable files, unreadable folders and files over the limit', async () => {
    project.write('closed/inside', 'x');
    project.write('secret', 'x');
    writeLarge('large.bin');
    execFileSync('chmod', ['-R', 'a+rwX', project.scratch]);
    chmodSync(project.path('closed'), 0);
    chmodSync(project.path('secret'), 0);
    const { unrecorded, text } = await asOrdinaryUser(async () => {
      // A store must belong to the user who opens it.
      const env = { SAVEPOINT_HOME: join(project.scratch, 'others-stores') };
      await project.run(['save'], { env });
      const { out } = await project.run(['status', '--json'], { env });
      const { out: text } = await project.run(['status'], { env });
      return { unrecorded: JSON.parse(out).worktree.unrecorded, text };
    });
    expect(unrecorded).toEqual([
      { path: 'large.bin', reason: 'too-large' },
      { path: 'secret', reason: 'unreadable' },
      { path: 'closed', reason: 'folder-unreadable' },
    ]);
    expect(text).toContain('Not covered  3 paths');
    expect(text).toContain('raise maxFileSize');
  });
});

describe('files over the limit', () => {
  it('are named once, before the first program runs, with the setting that keeps them', async () => {
    writeLarge('large.bin');
    const first = await project.run(['run', '--', 'sh', '-c', 'echo started >&2']);
    const note = first.err.replaceAll(/\s+/g, ' ');
    expect(note).toMatch(/files over 10 MiB are not recorded.*maxFileSize.*large\.bin.*started/);
    const second = await project.run(['run', '--', 'true']);
    expect(second.err).not.toContain('large.bin');
  });

  it('are named by the first save', async () => {
    writeLarge('large.bin');
    const said = (await project.run(['save'])).err.replaceAll(/\s+/g, ' ');
    expect(said).toMatch(/files over 10 MiB are not recorded.*maxFileSize.*large\.bin/);
  });
});
