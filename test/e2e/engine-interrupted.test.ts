import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSavepoint, storeDirectory } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import { atMoments, dieAt, failsWith, type Moment, nameRefused } from './file-moments.ts';
import { asOrdinaryUser } from './ordinary-user.ts';
import { treeOf } from './tree-of.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

const STAGING: Omit<Moment, 'act'> = { call: 'openSync', path: /\.savepoint-.*\.new$/ };
const NO_ROOM: Moment = { ...STAGING, act: failsWith('ENOSPC') };
// The steps go by name, so that z is the last one.
const LAST_FAILS: readonly Moment[] = nameRefused(/\/z$/);

/** Two files go from one text to another. */
async function agentWrites(own: Bed, ...paths: string[]): Promise<void> {
  for (const path of paths) own.put(path, 'before');
  await own.tool('m1', paths, () => {
    for (const path of paths) own.put(path, 'after');
  });
}

function modeOf(own: Bed, path: string): number {
  return lstatSync(own.at(path)).mode & 0o777;
}

function companions(own: Bed): string[] {
  return Object.keys(treeOf(own.root)).filter((path) => path.includes('.savepoint-'));
}

/** As most editors save: a new file takes the name. */
function replace(path: string, content: string): void {
  writeFileSync(bed.at('swap-file'), content);
  renameSync(bed.at('swap-file'), bed.at(path));
}

async function diesInRewind(
  own: Bed,
  moment: Omit<Moment, 'act'>,
  earlier: readonly Moment[] = [],
): Promise<void> {
  const to = await own.idOf('m1');
  await dieAt(own, moment, (savepoint) => savepoint.rewind({ to }), earlier);
}

describe('the next start', () => {
  it('says that it finished a rewind', async () => {
    await agentWrites(bed, 'a', 'b');
    await diesInRewind(bed, { call: 'linkSync', path: /\/b$/ });
    expect(existsSync(bed.at('b'))).toBe(false);
    await bed.reopen();
    expect(bed.text('b')).toBe('before');
    expect(bed.savepoint.notices()).toMatchObject([
      { code: 'recovered', message: 'an interrupted rewind was finished' },
    ]);
    expect(bed.savepoint.notices()).toEqual([]);
  });

  it('says so as well where it is a write of a savepoint that was open all the time', async () => {
    await agentWrites(bed, 'a', 'b');
    const other = await openSavepoint({ project: bed.root, home: bed.home });
    await diesInRewind(bed, { call: 'linkSync', path: /\/b$/ });
    await other.checkpoint({ description: 'by hand' });
    expect(other.notices()).toMatchObject([{ code: 'recovered' }]);
    await other.close();
  });

  it('says that a process wrote to a file which was replaced', async () => {
    await agentWrites(bed, 'a', 'b');
    await diesInRewind(bed, { call: 'unlinkSync', path: /\.savepoint-/ });
    const [stash = ''] = companions(bed).filter((path) => path.endsWith('.old'));
    writeFileSync(bed.at(stash), 'written through an open descriptor');
    await bed.reopen();
    const notices = bed.savepoint.notices();
    expect(notices).toMatchObject([{ code: 'written-meanwhile' }]);
    expect(notices[0]?.message).toContain(stash);
    expect(bed.text(stash)).toBe('written through an open descriptor');
  });

  it('carries out nothing by a journal that is damaged, and lets others read', async () => {
    await agentWrites(bed, 'a', 'b');
    await diesInRewind(bed, { call: 'linkSync', path: /\/b$/ });
    const left = treeOf(bed.root);
    const database = new DatabaseSync(join(storeDirectory(bed.home, bed.root), 'store.db'));
    database.exec("UPDATE journal SET content = replace(content, 'intent', 'done')");
    database.close();
    await bed.reopen();
    expect(bed.savepoint.notices()).toMatchObject([{ code: 'restore-unfinished' }]);
    expect(await bed.savepoint.list({})).not.toEqual([]);
    await expect(bed.savepoint.checkpoint({})).rejects.toMatchObject({ code: 'store-corrupt' });
    expect(treeOf(bed.root)).toEqual(left);
  });

  it('leaves a file that its owner brought back, where there is no room to finish', async () => {
    bed.put('a', 'before');
    bed.put('b', 'before');
    await bed.tool('m1', ['a', 'b'], () => {
      rmSync(bed.at('a'));
      bed.put('b', 'after');
    });
    await diesInRewind(bed, STAGING);
    bed.put('a', 'before');
    await atMoments([NO_ROOM], () => bed.reopen());
    expect(bed.text('a')).toBe('before');
    expect(bed.text('b')).toBe('after');
    expect(await bed.savepoint.operations()).toEqual([]);
    const [notice] = bed.savepoint.notices();
    expect(notice).toMatchObject({ code: 'recovered', paths: ['a'] });
    expect(notice?.message).toContain('taken back: no space left');
  });

  it.each([
    ['into it', () => bed.put('a', 'saved')],
    ['a new file', () => replace('a', 'saved')],
  ])(
    'gives a save back that met a process which took a rewind back and died: %s',
    async (_, act) => {
      await agentWrites(bed, 'a', 'z');
      const save: Moment = { call: 'renameSync', path: /\.back$/, act };
      await diesInRewind(bed, { call: 'linkSync', path: /\/a$/ }, [...LAST_FAILS, save]);
      expect(existsSync(bed.at('a'))).toBe(false);
      await bed.reopen();
      expect([bed.text('a'), bed.text('z')]).toEqual(['saved', 'before']);
      expect(bed.savepoint.notices()).toMatchObject([{ code: 'recovered', paths: ['a'] }]);
      expect(companions(bed)).toEqual([]);
    },
  );

  it('keeps what somebody wrote to a new file that was not in place yet', async () => {
    await agentWrites(bed, 'a', 'b');
    await diesInRewind(bed, { call: 'linkSync', path: /\/b$/ });
    const [staged = ''] = companions(bed).filter((path) => path.endsWith('-1.new'));
    writeFileSync(bed.at(staged), 'theirs');
    await bed.reopen();
    expect([bed.text('a'), bed.text('b'), bed.text(staged)]).toEqual(['before', 'after', 'theirs']);
    expect(bed.savepoint.notices()).toMatchObject([
      { code: 'recovered', paths: ['b'] },
      { code: 'written-meanwhile', message: expect.stringContaining(staged) },
    ]);
  });

  it('goes on with a rewind that was being taken back', async () => {
    await agentWrites(bed, 'a', 'z');
    // The old file has its name again, and the one under which it was kept as well.
    await diesInRewind(bed, { call: 'unlinkSync', path: /-0\.old$/ }, LAST_FAILS);
    expect(bed.text('a')).toBe('after');
    expect(companions(bed)).not.toEqual([]);
    await bed.reopen();
    expect([bed.text('a'), bed.text('z')]).toEqual(['before', 'before']);
    expect(companions(bed)).toEqual([]);
  });

  it('lets an undo be repeated that it could not finish everywhere', async () => {
    await agentWrites(bed, 'a', 'b');
    await bed.rewind('m1');
    await bed.savepoint.recover();
    await dieAt(bed, STAGING, (savepoint) => savepoint.undo());
    bed.put('a', 'by its owner');
    await bed.reopen();
    expect(bed.text('b')).toBe('after');
    expect(bed.savepoint.notices()).toMatchObject([{ code: 'recovered', paths: ['a'] }]);
    bed.put('a', 'before');
    await bed.savepoint.undo();
    expect(bed.text('a')).toBe('after');
  });

  it('puts nothing on record where it could not do anything', async () => {
    await agentWrites(bed, 'a');
    await diesInRewind(bed, STAGING);
    bed.put('a', 'by its owner');
    await bed.reopen();
    expect(await bed.savepoint.operations()).toEqual([]);
    expect((await bed.savepoint.list()).map(({ kind }) => kind)).not.toContain('safety');
  });

  it('closes a folder again that was opened for the rewind and is not empty any more', async () => {
    await bed.tool('m1', ['d/f'], () => {
      bed.put('d/f', 'made');
      chmodSync(bed.at('d'), 0o555);
    });
    await diesInRewind(bed, { call: 'rmdirSync', path: /\/d$/ });
    expect(modeOf(bed, 'd')).toBe(0o755);
    bed.put('d/mine', 'by its owner');
    await bed.reopen();
    expect(bed.text('d/mine')).toBe('by its owner');
    expect(modeOf(bed, 'd')).toBe(0o555);
  });
});

/** A project of a user whom permissions can stop. */
function inClosedBed(body: (own: Bed) => Promise<void>): Promise<void> {
  return asOrdinaryUser(async () => {
    const own = await makeBed();
    try {
      await body(own);
    } finally {
      await own.remove();
    }
  });
}

describe('a folder that lets nobody write', () => {
  it('is opened for a rewind that opens it', async () => {
    await inClosedBed(async (own) => {
      own.put('d/f', 'before');
      await own.tool('m1', ['d'], () => {
        own.put('d/f', 'after');
        chmodSync(own.at('d'), 0o555);
      });
      expect((await own.rewind('m1')).success).toBe(true);
      expect([own.text('d/f'), modeOf(own, 'd')]).toEqual(['before', 0o755]);
      await own.savepoint.undo();
      expect([own.text('d/f'), modeOf(own, 'd')]).toEqual(['after', 0o555]);
      await own.reopen();
      expect(companions(own)).toEqual([]);
      expect(own.savepoint.notices()).toEqual([]);
    });
  });

  it('is as it was after a rewind that failed', async () => {
    await inClosedBed(async (own) => {
      mkdirSync(own.at('d/e'), { recursive: true });
      own.put('d/e/f', 'before');
      own.put('z', 'before');
      for (const path of ['d/e', 'd']) chmodSync(own.at(path), 0o555);
      await own.tool('m1', ['d', 'z'], () => {
        for (const path of ['d', 'd/e']) chmodSync(own.at(path), 0o755);
        rmSync(own.at('d'), { recursive: true });
        own.put('z', 'after');
      });
      const before = own.tree();
      await atMoments(LAST_FAILS, () =>
        expect(own.rewind('m1')).rejects.toMatchObject({ code: 'restore-failed' }),
      );
      expect(own.tree()).toEqual(before);
      await own.rewind('m1');
      expect(modeOf(own, 'd/e')).toBe(0o555);
      const rewound = own.tree();
      await atMoments(LAST_FAILS, () =>
        expect(own.savepoint.undo()).rejects.toMatchObject({ code: 'restore-failed' }),
      );
      expect(own.tree()).toEqual(rewound);
    });
  });

  it('is opened once more where the rewind fails after it was closed', async () => {
    await inClosedBed(async (own) => {
      for (const path of ['d', 'e']) {
        own.put(`${path}/f`, 'before');
        chmodSync(own.at(path), 0o555);
      }
      await own.tool('m1', ['d', 'e'], () => {
        for (const path of ['d', 'e']) {
          chmodSync(own.at(path), 0o755);
          own.put(`${path}/f`, 'after');
        }
      });
      const before = own.tree();
      const set = (name: string, act = (): void => undefined): Moment => {
        return { call: 'chmodSync', path: new RegExp(`/${name}$`), act };
      };
      // Both are begun, then one gets its mode, and the other does not.
      await atMoments([set('d'), set('e'), set('e'), set('d', failsWith('EIO'))], () =>
        expect(own.rewind('m1')).rejects.toMatchObject({ code: 'restore-failed' }),
      );
      expect(own.tree()).toEqual(before);
    });
  });

  it('lets an interrupted rewind be taken back that it keeps from being finished', async () => {
    await inClosedBed(async (own) => {
      await agentWrites(own, 'c', 'd/f', 'g');
      const before = own.tree();
      // One file was replaced by then, and nothing was done in the folder but to write a new one.
      await diesInRewind(own, { call: 'renameSync', path: /\/d\/\.savepoint-.*\.old$/ });
      chmodSync(own.at('d'), 0o555);
      await own.reopen();
      expect(own.savepoint.notices()).toMatchObject([
        { code: 'recovered', message: expect.stringMatching(/taken back: EACCES.*'d\/f'/) },
        { code: 'left-to-tidy' },
      ]);
      expect(await own.savepoint.operations()).toEqual([]);
      expect([own.text('c'), own.text('d/f'), own.text('g')]).toEqual(['after', 'after', 'after']);
      await own.write('m2', 'h', 'captured');
      chmodSync(own.at('d'), 0o755);
      await own.reopen();
      expect(own.savepoint.notices()).toMatchObject([]);
      expect(own.tree()).toMatchObject(before);
      expect(companions(own)).toEqual([]);
    });
  });

  it('is left with what is in it where nothing can be taken back either, and named', async () => {
    await inClosedBed(async (own) => {
      await agentWrites(own, 'd/f', 'd/g', 'h');
      await diesInRewind(own, { call: 'renameSync', path: /-1\.old$/ });
      chmodSync(own.at('d'), 0o555);
      await own.reopen();
      expect(own.savepoint.notices()).toMatchObject([
        { code: 'recovered', paths: ['d/g'] },
        { code: 'left-to-tidy' },
      ]);
      expect([own.text('d/f'), own.text('d/g'), own.text('h')]).toEqual([
        'before',
        'after',
        'before',
      ]);
      await own.write('m2', 'i', 'captured');
      chmodSync(own.at('d'), 0o755);
      await own.reopen();
      expect(companions(own)).toEqual([]);
      // What was left is taken back by the next rewind.
      await own.rewind('m1');
      expect(own.text('d/g')).toBe('before');
    });
  });
});

describe('a restore that cannot be finished for now', () => {
  it('keeps nobody from looking, and stops whoever writes', async () => {
    await agentWrites(bed, 'a', 'b');
    await diesInRewind(bed, STAGING);
    const broken = { ...STAGING, act: failsWith('EIO') };
    await atMoments([broken], () => bed.reopen());
    expect(bed.savepoint.notices()).toMatchObject([{ code: 'restore-unfinished' }]);
    expect(await bed.savepoint.list()).not.toEqual([]);
    expect((await bed.savepoint.planRewind({ to: 'latest' })).lines).toBeDefined();
    const refusal = {
      code: 'restore-unfinished',
      path: bed.root,
      hint: expect.stringContaining('finishes it or takes it back'),
    };
    // A command that met it when it opened the project does not try again; the next one does.
    await expect(bed.savepoint.checkpoint()).rejects.toMatchObject(refusal);
    const [seconds] = process.hrtime();
    vi.spyOn(process, 'hrtime').mockReturnValue([seconds + 2, 0]);
    onTestFinished(() => void vi.restoreAllMocks());
    await atMoments([broken], () =>
      expect(bed.savepoint.checkpoint()).rejects.toMatchObject(refusal),
    );
    await bed.savepoint.recover();
    await bed.savepoint.checkpoint();
    expect([bed.text('a'), bed.text('b')]).toEqual(['before', 'before']);
  });
});
