import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type AdoptStoreRequest, adoptStore, movedFrom } from './adopt-store.ts';
import { openSavepoint } from './open-savepoint.ts';
import { storeDirectory } from './project.ts';

let scratch: string;
let home: string;
let old: string;
let moved: string;

beforeEach(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-adopt-')));
  [home, old, moved] = [join(scratch, 'home'), join(scratch, 'old'), join(scratch, 'moved')];
  mkdirSync(old);
  await record(old, 'recorded before the move');
  renameSync(old, moved);
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

async function record(project: string, description: string): Promise<void> {
  const savepoint = await openSavepoint({ project, home });
  await savepoint.checkpoint({ description });
  await savepoint.close();
}

/** What the timeline of a folder holds. */
async function told(project: string, adopt = false): Promise<string[]> {
  const savepoint = await openSavepoint({ project, home, adopt, create: false });
  const found = await savepoint.list();
  await savepoint.close();
  return found.map(({ description }) => description);
}

function adopted(more: Partial<AdoptStoreRequest> = {}): Promise<void> {
  return adoptStore({ project: moved, from: old, home, ...more });
}

describe('adoptStore', () => {
  it('gives a folder that was moved its timeline, to be opened with adopt', async () => {
    await adopted();
    await expect(told(moved)).rejects.toMatchObject({ code: 'project-mismatch' });
    expect(await told(moved, true)).toEqual(['recorded before the move']);
    expect(await told(moved)).toEqual(['recorded before the move']);
    expect(existsSync(storeDirectory(home, old))).toBe(false);
  });

  it('works while a link to the new place stands at the old one', async () => {
    symlinkSync(moved, old);
    await adopted();
    expect(await told(moved, true)).toEqual(['recorded before the move']);
  });

  it('works while another folder stands at the old place', async () => {
    mkdirSync(old);
    await adopted();
    expect(await told(moved, true)).toEqual(['recorded before the move']);
  });

  const refusals: [what: string, code: string, arrange: () => unknown, more?: () => object][] = [
    ['the old folder is still there', 'project-mismatch', () => renameSync(moved, old), newFolder],
    ['the folder has a timeline already', 'project-mismatch', () => record(moved, 'own')],
    ['nothing was recorded there', 'store-missing', () => undefined, () => ({ from: scratch })],
    ['it is the same folder', 'argument-invalid', () => undefined, () => ({ from: moved })],
    ['the folder may not be a project', 'project-refused', () => undefined, refused],
    [
      'the stores lie in the folder',
      'argument-invalid',
      () => undefined,
      () => ({ project: scratch }),
    ],
    ['there is no such folder', 'project-missing', () => undefined, () => ({ project: old })],
    ['from is no text', 'argument-invalid', () => undefined, () => ({ from: 5 })],
  ];
  it.each(refusals)('leaves the store where it is when %s', async (_what, code, arrange, more) => {
    await arrange();
    await expect(adopted(more?.())).rejects.toMatchObject({ code });
    expect(existsSync(join(storeDirectory(home, old), 'store.db'))).toBe(true);
  });

  it('waits for a process that is at work in the store, and no longer than it may', async () => {
    const store = await sqliteStore({ directory: storeDirectory(home, old) });
    const lock = await store.lock({ timeoutMs: 1_000 });
    await expect(adopted({ lockTimeoutMs: 20 })).rejects.toMatchObject({ code: 'store-locked' });
    lock.release();
    await store.close();
    await adopted();
    expect(await told(moved, true)).toHaveLength(1);
  });

  function newFolder(): object {
    mkdirSync(join(scratch, 'new'));
    return { project: join(scratch, 'new') };
  }

  function refused(): object {
    return { refusedProjects: [moved] };
  }
});

describe('movedFrom', () => {
  it('knows the old path of a folder that was moved, among other stores', async () => {
    mkdirSync(join(scratch, 'other'));
    await record(join(scratch, 'other'), 'another project');
    mkdirSync(join(home, 'projects', 'no store'));
    expect(movedFrom(moved, home)).toBe(old);
    expect(movedFrom(join(scratch, 'other'), home)).toBeNull();
    expect(movedFrom(moved, join(scratch, 'nowhere'))).toBeNull();
    await adopted();
    await told(moved, true);
    expect(movedFrom(moved, home)).toBeNull();
  });

  it('makes and changes nothing by looking', () => {
    mkdirSync(join(home, 'projects', 'no store'));
    movedFrom(moved, home);
    expect(existsSync(join(home, 'projects', 'no store', 'store.db'))).toBe(false);
  });
});
