import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorktreeStatus } from '../../src/index.ts';
import { MAIN } from '../e2e/cli-project.ts';
import { expectSchema } from '../e2e/json-schema.ts';
import { RunProject } from './run-project.ts';
import { NOBODY } from './shell-project.ts';

// Writes to each file in place, as a program does that knows nothing of git. What its user may not write
// stays as it is.
const OVERWRITE = String.raw`find . -type f ! -name .gitignore -exec sh -c '
  tr "\000-\376" "\001-\377" < "$1" > ~/other && cat ~/other > "$1"
' sh {} \; 2> /dev/null`;

// Another user has to be able to read what is tested here.
const canBeAnother =
  process.getuid?.() !== 0 ||
  spawnSync(process.execPath, [MAIN, '--version'], { uid: NOBODY, gid: NOBODY }).status === 0;

let project: RunProject;
afterEach(() => project.remove());

for (const [kind, pack] of [
  ['loose objects', 'rm -r .git/objects/pack; git unpack-objects -q < pack; rm pack'],
  ['packs', 'rm pack'],
] as const) {
  describe(`a program that overwrites ${kind} in place`, () => {
    it('is taken back where it can write to them', async () => {
      project = planted(pack);
      // As root it can anyway.
      project.sh('chmod -R u+w .git/objects');
      await takesBack({ canWrite: true, isHeld: kind === 'packs' });
    });

    it.skipIf(!canBeAnother)('is taken back where it cannot', async () => {
      project = planted(pack);
      project.asOrdinaryUser();
      await takesBack({ canWrite: false, isHeld: kind === 'packs' });
    });
  });
}

describe('packs that are too large to copy, as the files are', () => {
  it('are shared, which the run says at once, and undo never gives another reason', async () => {
    project = writable();
    const before = project.picture();
    const { code, err } = await project.run([OVERWRITE]);
    expect(code).toBe(0);
    expect(err).toMatch(/^savepoint: 1 MiB of git's packs could not be copied and are shared/m);
    expect(err).toMatch(/\d+ of them cannot be taken back: .* damaged/);
    const changed = project.picture();
    expect(changed).not.toEqual(before);
    const undone = await project.cli(['undo']);
    expect(undone).toMatchObject({ code: 1 });
    expect(undone.out).toMatch(/src\/main.txt +left as it is: its recorded content was damaged/);
    const after = project.picture();
    // Git ignores this file, so a copy of it was made.
    expect(after).toMatchObject({
      'local.env': before['local.env'],
      'src/main.txt': changed['src/main.txt'],
    });
    // A file that was written just before the run is read, and its bytes are kept.
    for (const [path, shown] of Object.entries(after)) {
      expect([before[path], changed[path]]).toContain(shown);
    }
    const { out, code: again } = await project.cli(['undo', '--json']);
    expectSchema('undo', out);
    expect(again).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ success: false, skipped: [] });
  });

  it('are named by status, with every sign of them gone once the limit is raised', async () => {
    project = writable();
    const before = project.picture();
    const first = await project.cli(['run', '--json', '--', 'true']);
    expectSchema('run', first.out);
    const { coverage, notice } = JSON.parse(first.out);
    expect(coverage).toBe('scanned');
    expect(notice).toContain('raise maxCopyBytes');
    expect((await project.cli(['status'])).out).toContain("of git's packs: whoever overwrites");
    const status = await project.cli(['status', '--json']);
    expectSchema('status', status.out);
    expect((await worktree()).sharedBytes).toBeGreaterThan(100);

    limitTo(1024 * 1024);
    const { err } = await project.run([OVERWRITE]);
    expect(err).not.toContain('shared');
    expect((await project.cli(['undo'])).code).toBe(0);
    expect(project.picture()).toEqual(before);
    expect((await worktree()).sharedBytes).toBe(0);
  });

  it.skipIf(!canBeAnother)(
    'are copied by the next scan where a program made them writable',
    async () => {
      project = planted('rm pack');
      project.asOrdinaryUser();
      const before = project.picture();
      await project.cli(['run', '--', 'chmod', '-R', 'u+w', '.git/objects']);
      expect((await worktree()).fromGit).toBeGreaterThan(5);
      await project.run([OVERWRITE]);
      expect((await project.cli(['undo'])).code).toBe(0);
      expect(project.picture()).toEqual(before);
    },
  );
});

async function takesBack({
  canWrite,
  isHeld,
}: {
  readonly canWrite: boolean;
  readonly isHeld: boolean;
}): Promise<void> {
  const [before, objects] = [project.picture(), objectsOf(project)];
  const { code, err } = await project.run([OVERWRITE]);
  expect(code).toBe(0);
  expect(err).not.toContain('shared');
  expect(project.picture()).not.toEqual(before);
  expect(objectsOf(project).some((object, at) => object !== objects[at])).toBe(canWrite);
  expect((await worktree()).fromGit > 5).toBe(isHeld);
  expect(await project.cli(['undo'])).toMatchObject({ code: 0 });
  expect(project.picture()).toEqual(before);
}

async function worktree(): Promise<WorktreeStatus> {
  return JSON.parse((await project.cli(['status', '--json'])).out).worktree;
}

/** A clean worktree. `pack` is a script that finds a copy of all objects in `pack`. */
function planted(pack: string): RunProject {
  const made = new RunProject({ git: true });
  made.sh(`cp .git/objects/pack/*.pack pack\n${pack}\n[ -z "$(git status --porcelain)" ]`);
  return made;
}

/** A worktree whose packs can be overwritten, and are not to be copied, nor are the files. */
function writable(): RunProject {
  project = planted('rm pack');
  project.sh('chmod -R u+w .git/objects');
  limitTo(100);
  return project;
}

function limitTo(maxCopyBytes: number): void {
  const folder = join(project.user, '.config/savepoint');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ maxCopyBytes }));
}

function objectsOf({ root }: RunProject): string[] {
  const folder = join(root, '.git/objects');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => /^[0-9a-f]{38}$|\.(pack|idx)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}
