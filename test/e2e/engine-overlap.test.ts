import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Capture } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
let first: Capture;
let second: Capture;

const request = (sessionId: string, paths = ['file']) => ({
  sessionId,
  messageId: `m-${sessionId}`,
  paths,
  toolCallId: `call-${sessionId}`,
});

/** A tool call of one session is running when another session's comes to the same file. */
beforeEach(async () => {
  bed = await makeBed();
  bed.put('file', 'one\n');
  first = await bed.savepoint.captureBefore(request('first'));
  bed.put('file', 'one\nof the first\n');
  second = await bed.savepoint.captureBefore(request('second'));
});
afterEach(() => bed.remove());

const rewindFirst = () => bed.savepoint.rewind({ to: first.checkpointId, includeShared: true });

describe('a session whose tool call was overlapped by another’s', () => {
  const busy = {
    code: 'session-busy',
    details: [{ path: 'file', toolCallId: 'call-first', sessionId: 'first' }],
  };

  it('is busy, and both calls are named', async () => {
    const other = { path: 'file', toolCallId: 'call-second', sessionId: 'second' };
    const details = [other, ...busy.details];
    await expect(rewindFirst()).rejects.toMatchObject({ ...busy, details });
    const forced = { to: first.checkpointId, includeShared: true, force: true };
    await bed.savepoint.rewind(forced);
    expect(bed.text('file')).toBe('one\n');
  });

  it('is busy still when the other call has ended', async () => {
    await bed.savepoint.captureAfter(second);
    await expect(rewindFirst()).rejects.toMatchObject(busy);
    const everybodys = bed.savepoint.rewind({ to: first.checkpointId, take: 'exact' });
    await expect(everybodys).rejects.toMatchObject({ code: 'session-busy' });
  });

  it('is free once its own call has ended', async () => {
    await bed.savepoint.captureAfter(first);
    await bed.savepoint.captureAfter(second);
    expect((await rewindFirst()).success).toBe(true);
  });

  it('is free once its turn has ended', async () => {
    await bed.savepoint.captureAfter(second);
    await bed.savepoint.endTurn('first');
    expect((await rewindFirst()).success).toBe(true);
  });

  it('keeps any rewind of that file from happening, and no other', async () => {
    await bed.savepoint.captureAfter(second);
    await bed.write('m', 'elsewhere', 'text');
    await bed.rewind('m');
    await bed.savepoint.undo();
    const rewind = { to: second.checkpointId, includeShared: true };
    await expect(bed.savepoint.rewind(rewind)).rejects.toMatchObject(busy);
    await bed.savepoint.rewind({ ...rewind, force: true });
    await expect(bed.savepoint.undo()).rejects.toMatchObject(busy);
  });
});

describe('what it writes after the other call has ended', () => {
  it('is its own, as far as anybody can tell', async () => {
    await bed.savepoint.captureAfter(second);
    bed.put('file', 'one\nof the first\nlater\n');
    await bed.savepoint.captureAfter(first);
    const changes = await bed.savepoint.changes({});
    expect(changes.map(({ sessionId, attribution }) => [sessionId, attribution])).toEqual([
      ['first', 'shared'],
      ['second', 'shared'],
      ['first', 'shared'],
    ]);
    await rewindFirst();
    expect(bed.text('file')).toBe('one\n');
  });

  it('is shared with a third call that comes meanwhile', async () => {
    await bed.savepoint.captureAfter(second);
    bed.put('file', 'one\nof the first\nlater\n');
    await bed.savepoint.captureBefore(request('third'));
    const changes = await bed.savepoint.changes({});
    expect(changes.map(({ sessionId, attribution }) => [sessionId, attribution])).toEqual([
      ['first', 'shared'],
      ['second', 'shared'],
      ['first', 'shared'],
      ['third', 'shared'],
    ]);
  });

  it('is on record once where several of its calls were overlapped', async () => {
    await bed.savepoint.captureAfter(second);
    await bed.savepoint.captureBefore({ ...request('first'), toolCallId: 'call-again' });
    await bed.savepoint.captureAfter(await bed.savepoint.captureBefore(request('second')));
    bed.put('file', 'one\nof the first\nlater\n');
    await bed.savepoint.endTurn('first');
    await expectUnbroken('file');
    await rewindFirst();
    expect(bed.text('file')).toBe('one\n');
  });

  it('is on record once where it appeared in a folder that the session captured as well', async () => {
    await bed.savepoint.captureBefore(request('first', ['folder/new']));
    await bed.savepoint.captureAfter(
      await bed.savepoint.captureBefore(request('second', ['folder/new'])),
    );
    bed.put('folder/other', 'text');
    await bed.savepoint.captureBefore({
      ...request('first', ['folder']),
      toolCallId: 'call-again',
    });
    bed.put('folder/new', 'text');
    await bed.savepoint.endTurn('first');
    await expectUnbroken('folder/new');
  });

  it('is left to the other call’s end where that is still to come', async () => {
    bed.put('file', 'one\nof both\n');
    await bed.savepoint.captureAfter(first);
    bed.put('file', 'one\nof the second\n');
    await bed.savepoint.captureAfter(second);
    const changes = await bed.savepoint.changes({});
    expect(changes.map(({ sessionId }) => sessionId)).toEqual(['first', 'second']);
  });
});

describe('while it goes on', () => {
  it('nothing that a scan finds elsewhere is put down to it', async () => {
    await bed.savepoint.captureAfter(second);
    await bed.savepoint.scan();
    bed.put('mine', 'a person’s');
    const { changes } = await bed.savepoint.scan();
    expect(changes).toMatchObject([{ path: 'mine', origin: 'outside', sessionId: null }]);
    expect((await bed.savepoint.status()).running).toEqual([]);
    await expect(rewindFirst()).rejects.toMatchObject({ code: 'session-busy' });
  });
});

/** Each change of a path begins where the one before it ended. */
async function expectUnbroken(path: string): Promise<void> {
  const changes = (await bed.savepoint.changes({})).filter((change) => change.path === path);
  const ends = changes.slice(0, -1).map(({ after }) => after);
  expect(ends.length).toBeGreaterThan(0);
  expect(changes.slice(1).map(({ before }) => before)).toEqual(ends);
}
