import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSavepoint, type Receipt } from '../../src/index.ts';
import { builtProgram } from '../setup/built.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import { atMoments, failsWith, type Moment } from './file-moments.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

/** Rewinds to m1 while another program rewinds in its own way. */
async function rewindAlongside(
  paths: readonly string[],
  run: () => void | Promise<void>,
): Promise<Receipt> {
  const plan = await bed.savepoint.planRewind({ to: await bed.idOf('m1') });
  return bed.savepoint.apply(plan, { paths, run: async () => run() });
}

/** A person keeps a folder elsewhere from now on. */
function swapFolder(name: string, elsewhere: string): void {
  rmSync(bed.at(name), { recursive: true });
  symlinkSync(elsewhere, bed.at(name));
}

function companions(): string[] {
  return readdirSync(bed.root).filter((name) => name.startsWith('.savepoint-'));
}

describe('a rewind alongside that of another program', () => {
  it('ends in what the plan says, whatever the other one wrote', async () => {
    bed.put('a', 'one\ntwo\nthree\n', 0o755);
    await bed.write('m1', 'a', 'ONE\ntwo\nthree\n');
    bed.put('a', 'ONE\ntwo\nTHREE of a person\n');
    const receipt = await rewindAlongside(['a'], () => bed.put('a', 'one\ntwo\nthree\n', 0o644));
    expect(bed.text('a')).toBe('one\ntwo\nTHREE of a person\n');
    expect(statSync(bed.at('a')).mode & 0o777).toBe(0o755);
    expect(receipt).toMatchObject({ success: true, mergedFiles: ['a'] });
    expect(companions()).toEqual([]);
  });

  it('is undone to what was there before both', async () => {
    bed.put('a', 'one\n');
    await bed.write('m1', 'a', 'two\n');
    await bed.write('m2', 'new', 'made\n');
    await rewindAlongside(['a', 'new'], () => {
      bed.put('a', 'one\n');
      rmSync(bed.at('new'));
    });
    expect(bed.tree()).toMatchObject({ a: expect.anything() });
    expect(readdirSync(bed.root)).toEqual(['a']);
    await bed.savepoint.undo();
    expect([bed.text('a'), bed.text('new')]).toEqual(['two\n', 'made\n']);
  });

  it('keeps what the plan leaves in conflict, where the other one overwrites it', async () => {
    bed.put('a', 'one\n');
    await bed.write('m1', 'a', 'two\n');
    await bed.write('m1', 'b', 'made\n');
    bed.put('a', 'somebody else put this here\n');
    const receipt = await rewindAlongside(['a', 'b'], () => bed.put('a', 'one\n'));
    expect(bed.text('a')).toBe('somebody else put this here\n');
    expect(receipt).toMatchObject({ conflicts: [{ path: 'a' }], deletedFiles: ['b'] });
  });

  it('goes through although the other one fails half way, and says so', async () => {
    bed.put('a', 'one\n');
    bed.put('b', 'one\n');
    await bed.write('m1', 'a', 'two\n');
    await bed.write('m1', 'b', 'two\n');
    const receipt = await rewindAlongside(['a', 'b'], () => {
      bed.put('a', 'one\n');
      throw new Error('No file checkpoint found');
    });
    expect([bed.text('a'), bed.text('b')]).toEqual(['one\n', 'one\n']);
    const [note] = receipt.notes.filter(({ code }) => code === 'alongside-failed');
    expect(note?.message).toContain('No file checkpoint found');
  });

  it.each(['/etc/hostname', '.git/config', 'never-seen'])(
    'does not let the other one near %s, which could not be brought back',
    async (path) => {
      if (path === 'never-seen') bed.put(path, 'of a person\n');
      bed.put('a', 'one\n');
      await bed.write('m1', 'a', 'two\n');
      const receipt = await rewindAlongside(['a', path], () => {
        throw new Error('it was run');
      });
      expect(bed.text('a')).toBe('one\n');
      expect(receipt.notes.map(({ code }) => code)).toContain('alongside-skipped');
      if (path === 'never-seen') expect(bed.text(path)).toBe('of a person\n');
    },
  );

  it.each([
    ['a link now', (elsewhere: string) => symlinkSync(join(elsewhere, 'b'), bed.at('d/b'))],
    ['behind a link now', (elsewhere: string) => swapFolder('d', elsewhere)],
    [
      'a file with another name',
      (elsewhere: string) => linkSync(join(elsewhere, 'b'), bed.at('d/b')),
    ],
  ])('does not let the other one write through what is %s', async (_what, change) => {
    const elsewhere = join(bed.base, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'b'), 'of a person\n');
    bed.put('a', 'one\n');
    bed.put('d/b', 'one\n');
    await bed.write('m1', 'a', 'two\n');
    await bed.write('m1', 'd/b', 'two\n');
    rmSync(bed.at('d/b'));
    change(elsewhere);
    const receipt = await rewindAlongside(['a', 'd/b'], () => bed.put('d/b', 'one\n'));
    expect(bed.text('a')).toBe('one\n');
    expect(readFileSync(join(elsewhere, 'b'), 'utf8')).toBe('of a person\n');
    expect(receipt.notes.map(({ code }) => code)).toContain('alongside-skipped');
  });

  it('leaves what a person writes meanwhile, and everything else as it was', async () => {
    bed.put('a', 'one\n');
    bed.put('b', 'one\n');
    await bed.write('m1', 'a', 'two\n');
    await bed.write('m1', 'b', 'two\n');
    const rewound = rewindAlongside(['a', 'b'], () => {
      bed.put('a', 'typed in just now\n');
      bed.put('b', 'one\n');
    });
    await expect(rewound).rejects.toMatchObject({ code: 'plan-stale', path: 'a' });
    expect([bed.text('a'), bed.text('b')]).toEqual(['typed in just now\n', 'two\n']);
    expect(companions()).toEqual([]);
    expect((await bed.savepoint.list()).map(({ kind }) => kind)).toContain('safety');
  });

  it('leaves nothing of its own behind, though it is cut off while files are put back', async () => {
    bed.put('a', 'one\n');
    await bed.write('m1', 'a', 'two\n');
    await bed.write('m1', 'new', 'made\n');
    const before = bed.tree();
    const cutOff: Moment = { call: 'unlinkSync', path: /\.old$/, act: failsWith('EIO') };
    const rewound = atMoments([cutOff], () =>
      rewindAlongside(['a', 'new'], () => {
        bed.put('a', 'one\n');
        rmSync(bed.at('new'));
      }),
    );
    await expect(rewound).rejects.toMatchObject({ code: 'restore-unfinished' });
    expect(companions()).not.toEqual([]);
    await bed.reopen();
    expect(companions()).toEqual([]);
    expect(bed.tree()).toEqual(before);
  });

  it('is taken back by the next start when it is killed in between', async () => {
    bed.put('a', 'first\n');
    bed.put('b', 'torn');
    chmodSync(bed.at('b'), 0o600);
    await bed.write('m1', 'a', 'second\n');
    await bed.write('m1', 'b', 'second\n');
    const before = bed.tree();
    const child = builtProgram('test/e2e/alongside-child.ts');
    const id = await bed.idOf('m1');
    await bed.savepoint.close();
    const env = { PATH: process.env.PATH };
    const killed = spawnSync(process.execPath, [child, bed.root, bed.home, id], { env });
    expect(killed.signal).toBe('SIGKILL');
    expect(bed.text('a')).toBe('first\n');
    bed.savepoint = await openSavepoint({ project: bed.root, home: bed.home });
    expect(bed.tree()).toEqual(before);
    expect(bed.savepoint.notices().map(({ message }) => message)).toEqual([
      'an interrupted rewind was taken back',
    ]);
    await bed.rewind('m1');
    expect([bed.text('a'), bed.text('b')]).toEqual(['first\n', 'torn']);
  });
});

describe('an edit that nobody had recorded', () => {
  const EDITED = 'ONE\ntwo\nTHREE of a person\n';

  beforeEach(async () => {
    bed.put('a', 'one\ntwo\nthree\n');
    await bed.write('m1', 'a', 'ONE\ntwo\nthree\n');
    bed.put('a', EDITED);
  });

  it('stays one command away where the other program wrote something that is not on record', async () => {
    await expect(rewindAlongside(['a'], () => bed.put('a', 'formatted\n'))).rejects.toMatchObject({
      code: 'plan-stale',
      details: [{ path: 'a' }],
      hint: expect.stringContaining('holds what was there'),
    });
    expect(bed.text('a')).toBe('formatted\n');
    const [safety] = await bed.savepoint.list({ kinds: ['safety'] });
    await bed.write('m2', 'a', 'written by a tool\n');
    await bed.savepoint.rewind({ to: safety?.id ?? '', take: 'exact', onConflict: 'restore' });
    expect(bed.text('a')).toBe(EDITED);
  });

  it('is not called safe while it is still to be put back', async () => {
    const noRoom: Moment = {
      call: 'openSync',
      path: /\.savepoint-.*\.new$/,
      act: failsWith('EIO'),
    };
    await atMoments([noRoom], () =>
      expect(rewindAlongside(['a'], () => bed.put('a', 'one\ntwo\nthree\n'))).rejects.toMatchObject(
        {
          code: 'restore-unfinished',
          hint: expect.stringMatching(/^not in their place: a is changed; checkpoint /),
        },
      ),
    );
    await bed.reopen();
    expect(bed.text('a')).toBe(EDITED);
  });
});
