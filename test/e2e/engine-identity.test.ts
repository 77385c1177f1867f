import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSavepoint } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
  bed.put('file', 'before');
  await bed.write('m1', 'file', 'after');
});
afterEach(() => bed.remove());

describe('the folder of a project', () => {
  it('that was replaced by another one of the same name is refused, and nothing is touched', async () => {
    cpSync(bed.root, join(bed.base, 'copy'), { recursive: true });
    // The old folder stays, so that its inode cannot be given to the new one.
    renameSync(bed.root, join(bed.base, 'aside'));
    renameSync(join(bed.base, 'copy'), bed.root);
    await expect(bed.reopen()).rejects.toMatchObject({ code: 'project-mismatch' });
    expect(bed.text('file')).toBe('after');
  });

  it('that was replaced can be adopted, once and for all', async () => {
    renameSync(bed.root, join(bed.base, 'aside'));
    cpSync(join(bed.base, 'aside'), bed.root, { recursive: true });
    await bed.reopen({ adopt: true });
    await bed.reopen();
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('before');
  });

  it('named through a link is the same project', async () => {
    symlinkSync(bed.root, join(bed.base, 'alias'));
    const alias = await openSavepoint({ project: join(bed.base, 'alias'), home: bed.home });
    expect(alias.root).toBe(bed.root);
    expect(await alias.list()).toHaveLength(1);
    await alias.close();
  });

  it('that moved elsewhere has no timeline there', async () => {
    await bed.savepoint.close();
    const moved = join(bed.base, 'moved');
    renameSync(bed.root, moved);
    const opened = openSavepoint({ project: moved, home: bed.home, create: false });
    await expect(opened).rejects.toMatchObject({ code: 'store-missing' });
  });

  const refused: [what: string, code: string, project: () => string][] = [
    ['is missing', 'project-missing', () => join(bed.base, 'nowhere')],
    ['is a file', 'project-missing', () => bed.at('file')],
    ['is the root of the file system', 'project-refused', () => '/'],
    ['is refused by the caller', 'project-refused', () => bed.base],
    ['is refused, through a link', 'project-refused', () => linkTo(bed.base)],
  ];
  it.each(refused)('is refused when it %s', async (_what, code, project) => {
    const options = { project: project(), home: bed.home, refusedProjects: [bed.base] };
    await expect(openSavepoint(options)).rejects.toMatchObject({ code });
  });

  function linkTo(folder: string): string {
    const link = join(bed.outside, 'link');
    symlinkSync(folder, link);
    return link;
  }
});

describe('the folder of the stores', () => {
  const inside: [what: string, home: () => string][] = [
    ['the project itself', () => bed.root],
    ['below the project', () => bed.at('store')],
    ['below the project, through ".."', () => `${bed.base}/outside/../project/store`],
    ['below the project, through a link', () => join(bed.base, 'alias', 'store')],
    ['below the project, with a slash too many', () => `${bed.base}//project//store`],
  ];
  it.each(inside)('is refused when it is %s', async (_what, home) => {
    symlinkSync(bed.root, join(bed.base, 'alias'));
    const opened = openSavepoint({ project: bed.root, home: home() });
    await expect(opened).rejects.toMatchObject({ code: 'argument-invalid' });
    expect(Object.keys(bed.tree())).toEqual(['file']);
  });

  it('may have a name that only begins like the project', async () => {
    const home = `${bed.root}-stores`;
    mkdirSync(home);
    await (await openSavepoint({ project: bed.root, home })).close();
    rmSync(home, { recursive: true });
  });
});
