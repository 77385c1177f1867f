import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';
import {
  atMoments,
  failsWith,
  type Moment,
  nameRefused,
  withoutCalls,
  withoutHardLinks,
} from './file-moments.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

// The steps go by name, so that z is the last one: whatever comes before was done by then.
const LAST_FAILS: readonly Moment[] = nameRefused(/\/z$/);

/** The agent does something to an entry, and then to z. */
async function agentWorks(path: string, work: () => void): Promise<void> {
  bed.put('z', 'before');
  await bed.tool('m1', [path, 'z'], () => {
    work();
    bed.put('z', 'after');
  });
}

/** The owner brings a path to exactly what the rewind is about to bring. */
function ownerComesFirst(act: () => void): Moment {
  return { call: 'openSync', path: /\.savepoint-.*\.new$/, act };
}

function failedRewind(moments: readonly Moment[]): Promise<unknown> {
  return atMoments(moments, () =>
    expect(bed.rewind('m1')).rejects.toMatchObject({ code: 'restore-failed' }),
  );
}

describe('a restore that is taken back', () => {
  it('leaves everything as it was', async () => {
    bed.put('a', 'before');
    mkdirSync(bed.at('b'));
    symlinkSync('elsewhere', bed.at('c'));
    bed.put('d', 'before', 0o600);
    bed.put('z', 'before');
    await bed.tool('m1', ['a', 'b', 'c', 'd', 'e/new', 'z'], () => {
      for (const path of ['a', 'z']) bed.put(path, 'after');
      for (const path of ['b', 'c']) rmSync(bed.at(path), { recursive: true });
      chmodSync(bed.at('d'), 0o644);
      bed.put('e/new', 'made');
      chmodSync(bed.at('e'), 0o555);
    });
    const before = bed.tree();
    await failedRewind(LAST_FAILS);
    expect(bed.tree()).toEqual(before);
    expect(bed.savepoint.notices()).toEqual([]);
  });

  it('leaves a file that its owner brought back where the agent had deleted it', async () => {
    bed.put('a', 'before');
    await agentWorks('a', () => rmSync(bed.at('a')));
    await failedRewind([ownerComesFirst(() => bed.put('a', 'before')), ...LAST_FAILS]);
    expect(bed.text('a')).toBe('before');
    expect(bed.text('z')).toBe('after');
    expect(bed.savepoint.notices()).toMatchObject([{ code: 'written-meanwhile', paths: ['a'] }]);
  });

  it('leaves a file to which its owner gave its old content', async () => {
    bed.put('a', 'before');
    await agentWorks('a', () => bed.put('a', 'after'));
    await failedRewind([ownerComesFirst(() => bed.put('a', 'before')), ...LAST_FAILS]);
    expect(bed.text('a')).toBe('before');
    expect(bed.text('z')).toBe('after');
  });

  it('leaves a folder that its owner made', async () => {
    mkdirSync(bed.at('a'));
    await agentWorks('a', () => rmSync(bed.at('a'), { recursive: true }));
    await failedRewind([ownerComesFirst(() => mkdirSync(bed.at('a'))), ...LAST_FAILS]);
    expect(lstatSync(bed.at('a')).isDirectory()).toBe(true);
  });

  it('leaves a link that its owner made', async () => {
    symlinkSync('elsewhere', bed.at('a'));
    await agentWorks('a', () => rmSync(bed.at('a')));
    await failedRewind([
      ownerComesFirst(() => symlinkSync('elsewhere', bed.at('a'))),
      ...LAST_FAILS,
    ]);
    expect(lstatSync(bed.at('a')).isSymbolicLink()).toBe(true);
  });

  it.each([
    ['file', () => bed.put('a', 'text', 0o600)],
    ['folder', () => mkdirSync(bed.at('a'), 0o700)],
  ])('leaves the mode that its owner gave to a %s', async (_, make) => {
    make();
    const mode = lstatSync(bed.at('a')).mode & 0o777;
    await agentWorks('a', () => chmodSync(bed.at('a'), 0o755));
    await failedRewind([ownerComesFirst(() => chmodSync(bed.at('a'), mode)), ...LAST_FAILS]);
    expect(lstatSync(bed.at('a')).mode & 0o777).toBe(mode);
  });

  it.each([
    ['replaces it', () => replace('a', 'saved')],
    ['writes into it', () => writeFileSync(bed.at('a'), 'saved')],
  ])('keeps a save that comes in between: an editor that %s', async (_, save) => {
    bed.put('a', 'before');
    await agentWorks('a', () => bed.put('a', 'after'));
    const saved: Moment = { call: 'renameSync', path: /\.back$/, act: save };
    await failedRewind([...LAST_FAILS, saved]);
    expect(bed.text('a')).toBe('saved');
    expect(Object.keys(bed.tree()).filter((path) => path.includes('.savepoint-'))).toEqual([]);
    expect(bed.savepoint.notices()).toMatchObject([{ paths: ['a'] }]);
  });

  it('keeps both of two saves that come in between', async () => {
    bed.put('a', 'before');
    await agentWorks('a', () => bed.put('a', 'after'));
    const first: Moment = { call: 'renameSync', path: /\.back$/, act: () => replace('a', 'one') };
    const second: Moment = { call: 'linkSync', path: /\/a$/, act: () => bed.put('a', 'two') };
    await failedRewind([...LAST_FAILS, first, second]);
    expect(bed.text('a')).toBe('two');
    const [kept = ''] = Object.keys(bed.tree()).filter((path) => path.includes('.savepoint-'));
    expect(bed.text(kept)).toBe('one');
    const notices = bed.savepoint.notices();
    expect(notices.some(({ message }) => message.includes(kept))).toBe(true);
  });
});

describe('what a restore kept', () => {
  it('stays where its place is gone, and is named', async () => {
    bed.put('d', 'a file');
    await bed.tool('m1', ['d'], () => {
      rmSync(bed.at('d'));
      bed.put('d/f', 'made');
    });
    bed.put('d/f', 'edited by its owner');
    // The folder gives way to a file of somebody else when its entry has been moved away.
    const replaced: Moment = {
      call: 'rmdirSync',
      path: /\/d$/,
      act: () => {
        rmSync(bed.at('d'), { recursive: true });
        bed.put('d', 'by somebody else');
      },
    };
    const rewind = (): Promise<unknown> => bed.rewind('m1', { onConflict: 'restore' });
    const failure: unknown = await atMoments([replaced], rewind).catch((error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as { hint?: string }).hint).not.toContain('nothing was changed');
    const [kept = ''] = Object.keys(bed.tree()).filter((path) => path.endsWith('.old'));
    expect([bed.text('d'), bed.text(kept)]).toEqual(['by somebody else', 'edited by its owner']);
    const notices = bed.savepoint.notices();
    expect(notices.find(({ code }) => code === 'kept-aside')?.message).toContain(kept);
  });

  it('goes where it is only a second name of the file in its place', async () => {
    bed.put('a', 'before');
    await agentWorks('a', () => bed.put('a', 'after'));
    await withoutCalls(
      ['unlinkSync'],
      'EACCES',
      () => failedRewind(LAST_FAILS),
      /\.savepoint-.*\.old$/,
    );
    bed.put('a', 'edited in place');
    bed.savepoint.notices();
    await bed.reopen();
    expect(Object.keys(bed.tree()).sort()).toEqual(['a', 'z']);
    expect([bed.text('a'), lstatSync(bed.at('a')).nlink]).toEqual(['edited in place', 1]);
    expect(bed.savepoint.notices()).toEqual([]);
  });

  it('is missed, so that the new file stays, where somebody removed it', async () => {
    bed.put('a', 'before');
    await agentWorks('a', () => bed.put('a', 'after'));
    const removesStash = (): never => {
      const names = readdirSync(bed.root).filter((name) => name.endsWith('-0.old'));
      for (const name of names) rmSync(bed.at(name));
      return failsWith('EIO')();
    };
    await failedRewind(nameRefused(/\/z$/, removesStash));
    expect(bed.text('a')).toBe('before');
    expect(bed.savepoint.notices()).toMatchObject([{ paths: ['a'] }]);
  });
});

describe('on a file system without hard links a restore that is taken back', () => {
  const fails: Moment = { call: 'renameSync', path: /\/z$/, act: failsWith('EIO') };

  it('brings back what it replaced', async () => {
    bed.put('a', 'before');
    await agentWorks('a', () => bed.put('a', 'after'));
    const before = bed.tree();
    await withoutHardLinks(() => failedRewind([fails]));
    expect(bed.tree()).toEqual(before);
  });

  it('leaves and names what nothing shows to be ours', async () => {
    bed.put('a', 'before');
    await agentWorks('a', () => rmSync(bed.at('a')));
    await withoutHardLinks(() => failedRewind([fails]));
    expect([bed.text('a'), bed.text('z')]).toEqual(['before', 'after']);
    expect(bed.savepoint.notices()).toMatchObject([{ code: 'written-meanwhile', paths: ['a'] }]);
  });

  it('is not needed where all goes well', async () => {
    bed.put('a', 'before');
    await agentWorks('a', () => rmSync(bed.at('a')));
    await withoutHardLinks(() => bed.rewind('m1'));
    expect([bed.text('a'), bed.text('z')]).toEqual(['before', 'before']);
    await bed.reopen();
    expect(bed.savepoint.notices()).toEqual([]);
  });
});

/** As most editors save: a new file takes the name. */
function replace(path: string, content: string): void {
  writeFileSync(bed.at('swap-file'), content);
  renameSync(bed.at('swap-file'), bed.at(path));
}

const CODES = ['EACCES', 'EPERM', 'EXDEV', 'EROFS', 'EBUSY', 'EIO', 'ENOSPC', 'EDQUOT', 'EMLINK'];

describe('where links are refused and renames are not', () => {
  it.each(CODES)('an undo of twenty files brings all of them, after %s', async (code) => {
    const paths = Array.from({ length: 20 }, (_, number) => `file-${number}`);
    for (const path of paths) bed.put(path, `${path} before`);
    await bed.tool('m1', paths, () => {
      for (const path of paths) bed.put(path, `${path} after`);
    });
    await bed.rewind('m1');
    await withoutCalls(['linkSync'], code, () => bed.savepoint.undo());
    expect(paths.map((path) => bed.text(path))).toEqual(paths.map((path) => `${path} after`));
    await bed.reopen();
    expect(Object.keys(bed.tree()).sort()).toEqual(paths.toSorted());
  });
});

describe('where an old file was moved away and nothing gets a name any more', () => {
  it.each(CODES)('the file waits in its stash through every command, after %s', async (code) => {
    bed.put('a', 'before');
    await bed.write('m1', 'a', 'after');
    bed.put('a', 'by its owner');
    const stuck = async (): Promise<void> => {
      const options = { onConflict: 'restore' } as const;
      await expect(bed.rewind('m1', options)).rejects.toMatchObject({
        code: 'restore-unfinished',
        hint: expect.stringMatching(/^not in their place: a is kept as \.savepoint-.*\.old/),
      });
      await expect(bed.write('m2', 'b', '')).rejects.toMatchObject({ code: 'restore-unfinished' });
      await bed.reopen();
    };
    await withoutCalls(['linkSync', 'renameSync'], code, stuck, /\/a$/);
    const [kept = ''] = Object.keys(bed.tree()).filter((path) => path.endsWith('.old'));
    expect(bed.text(kept)).toBe('by its owner');
    await bed.reopen();
    expect(bed.text('a')).toBe('before');
    await bed.savepoint.undo();
    expect(bed.text('a')).toBe('by its owner');
  });
});
