import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';
import { asOrdinaryUser } from './ordinary-user.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed({ maxFileSize: 1000, maxSafetySize: 5000 });
});
afterEach(() => bed.remove());

const PATH = process.env.PATH ?? '';

function makeFifo(path: string): void {
  execFileSync('mkfifo', [bed.at(path)], { env: { PATH } });
}

function makeSocket(path: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen(bed.at(path), () => resolve(server)));
}

describe('what is no file', () => {
  it('is skipped and named: a FIFO, which nothing waits for', async () => {
    makeFifo('pipe');
    const capture = await bed.tool('m1', ['pipe'], () => rmSync(bed.at('pipe')));
    expect(capture.skipped).toEqual(['pipe']);
    const reason = 'before-unknown-special-file';
    expect((await bed.rewind('m1')).errors).toEqual([{ path: 'pipe', reason }]);
    expect(existsSync(bed.at('pipe'))).toBe(false);
  });

  it('is left alone: a FIFO that a person put where a file must go', async () => {
    bed.put('file', 'before');
    await bed.write('m1', 'file', 'after');
    rmSync(bed.at('file'));
    makeFifo('file');
    for (const onConflict of [undefined, 'restore'] as const) {
      const receipt = await bed.rewind('m1', { onConflict });
      expect(receipt.conflicts).toEqual([{ path: 'file', reason: 'current-unknown' }]);
    }
    expect(lstatSync(bed.at('file')).isFIFO()).toBe(true);
  });

  it('is left alone: a FIFO that the agent made', async () => {
    await bed.tool('m1', ['pipe'], () => makeFifo('pipe'));
    expect((await bed.rewind('m1')).success).toBe(false);
    expect(lstatSync(bed.at('pipe')).isFIFO()).toBe(true);
  });

  it('is skipped and named: a socket', async () => {
    const server = await makeSocket('socket');
    const capture = await bed.tool('m1', ['socket'], () => undefined);
    expect(capture.skipped).toEqual(['socket']);
    expect((await bed.rewind('m1')).skipped).toMatchObject([{ path: 'socket' }]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('is skipped and named: a device outside the project, which is not read', async () => {
    const capture = await bed.tool('m1', ['/dev/zero'], () => undefined);
    expect(capture.skipped).toEqual(['/dev/zero']);
    const paths = ['/dev/zero'];
    expect((await bed.rewind('m1', { paths })).skipped).toMatchObject([{ path: '/dev/zero' }]);
  });

  it('in a folder that a tool named does not keep the files beside it from coming back', async () => {
    bed.put('dir/file', 'before');
    makeFifo('dir/pipe');
    await bed.tool('m1', ['dir'], () => bed.put('dir/file', 'after'));
    expect((await bed.rewind('m1')).restoredFiles).toEqual(['dir/file']);
    expect(lstatSync(bed.at('dir/pipe')).isFIFO()).toBe(true);
  });
});

describe('a file that is too large', () => {
  const large = 'x'.repeat(2000);

  it('before the agent wrote is named in every receipt and never overwritten', async () => {
    bed.put('big', large);
    await bed.write('m1', 'big', 'small now');
    await bed.write('m2', 'other', 'new');
    for (let times = 0; times < 2; times += 1) {
      const receipt = await bed.rewind('m1');
      expect(receipt.skipped).toEqual([{ path: 'big', reason: 'before-unknown-too-large' }]);
    }
    expect(bed.text('big')).toBe('small now');
  });

  it('that the agent made is not deleted while nothing shows that it is the same', async () => {
    await bed.write('m1', 'big', large);
    const receipt = await bed.rewind('m1');
    expect(receipt.conflicts).toEqual([{ path: 'big', reason: 'after-unknown' }]);
    expect(bed.text('big')).toBe(large);
  });

  it('that the agent made of a small one goes back when asked for', async () => {
    bed.put('big', 'small');
    await bed.write('m1', 'big', large);
    expect((await bed.rewind('m1')).conflicts).toMatchObject([{ path: 'big' }]);
    expect((await bed.rewind('m1', { onConflict: 'restore' })).restoredFiles).toEqual(['big']);
    expect(bed.text('big')).toBe('small');
    await bed.savepoint.undo();
    expect(bed.text('big')).toBe(large);
  });

  it('past what a rewind can keep is not replaced, even when asked for', async () => {
    bed.put('huge', 'small');
    await bed.write('m1', 'huge', 'y'.repeat(6000));
    const receipt = await bed.rewind('m1', { onConflict: 'restore' });
    expect(receipt.conflicts).toMatchObject([{ path: 'huge' }]);
    expect(bed.text('huge')).toHaveLength(6000);
  });

  it('moved aside by the agent stays where it is', async () => {
    bed.put('big', large);
    await bed.tool('m1', ['big', 'moved'], () => renameSync(bed.at('big'), bed.at('moved')));
    const receipt = await bed.rewind('m1');
    expect(receipt.errors).toMatchObject([{ path: 'big' }]);
    expect(receipt.conflicts).toMatchObject([{ path: 'moved' }]);
    expect(bed.text('moved')).toBe(large);
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

describe('what may not be read', () => {
  it('is unknown, named, and not overwritten: a file without permissions', async () => {
    await inClosedBed(async (own) => {
      own.put('closed', 'secret');
      chmodSync(own.at('closed'), 0);
      const capture = await own.tool('m1', ['closed'], () => chmodSync(own.at('closed'), 0o600));
      expect(capture.skipped).toEqual(['closed']);
      const receipt = await own.rewind('m1');
      expect(receipt.skipped).toEqual([{ path: 'closed', reason: 'before-unknown-unreadable' }]);
      expect(own.text('closed')).toBe('secret');
    });
  });

  it('is unknown: a file in a folder that lets nobody in', async () => {
    await inClosedBed(async (own) => {
      own.put('dir/file', 'secret');
      chmodSync(own.at('dir'), 0);
      const capture = await own.tool('m1', ['dir/file'], () => undefined);
      expect(capture.skipped).toEqual(['dir/file']);
      expect((await own.rewind('m1')).skipped).toMatchObject([{ path: 'dir/file' }]);
    });
  });

  it('is unknown as a whole: a folder of which only a part could be listed', async () => {
    await inClosedBed(async (own) => {
      own.put('dir/file', 'before');
      mkdirSync(own.at('dir/closed'));
      chmodSync(own.at('dir/closed'), 0);
      const capture = await own.tool('m1', ['dir'], () => own.put('dir/new', 'made'));
      expect(capture.skipped).toEqual(['dir']);
      await own.rewind('m1');
      expect(own.text('dir/new')).toBe('made');
    });
  });

  it('is a conflict: a file that was closed since', async () => {
    await inClosedBed(async (own) => {
      own.put('file', 'before');
      await own.write('m1', 'file', 'after');
      chmodSync(own.at('file'), 0);
      const receipt = await own.rewind('m1', { onConflict: 'restore' });
      expect(receipt.conflicts).toEqual([{ path: 'file', reason: 'current-unknown' }]);
    });
  });
});
