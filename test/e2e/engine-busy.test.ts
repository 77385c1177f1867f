import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
  bed.put('file', 'before');
});
afterEach(() => bed.remove());

const OPEN_CALL = join(import.meta.dirname, 'open-tool-call.ts');
const CALL = { sessionId: 'agent', messageId: 'm1', paths: ['file'], toolCallId: 'call-1' };

/** Another process begins a tool call and ends, or stays until it is killed. */
function otherProcess(stay: boolean) {
  const { PATH = '' } = process.env;
  const args = [OPEN_CALL, bed.root, bed.home, stay ? 'stay' : 'end'];
  const env = { PATH, HOME: bed.base };
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('a session whose tool call is running', () => {
  it('is busy: nothing is planned, and the call is named', async () => {
    await bed.savepoint.captureBefore(CALL);
    bed.put('file', 'half');
    const refused = bed.rewind('m1');
    const details = [{ path: 'file', toolCallId: 'call-1', sessionId: 'agent' }];
    await expect(refused).rejects.toMatchObject({ code: 'session-busy', details });
    expect(bed.text('file')).toBe('half');
  });

  it('is rewound when forced', async () => {
    await bed.savepoint.captureBefore(CALL);
    bed.put('file', 'half');
    await bed.rewind('m1', { force: true });
    expect(bed.text('file')).toBe('before');
  });

  it('is free again once the call has ended, or the turn', async () => {
    await bed.savepoint.captureAfter(await bed.savepoint.captureBefore(CALL));
    expect((await bed.rewind('m1')).success).toBe(true);
    await bed.savepoint.captureBefore({ ...CALL, messageId: 'm2' });
    await bed.savepoint.endTurn('agent');
    expect((await bed.rewind('m2')).success).toBe(true);
  });

  it("does not keep another session's rewind from happening", async () => {
    await bed.tool('n1', ['theirs'], () => bed.put('theirs', 'x'), { sessionId: 'other' });
    await bed.savepoint.captureBefore(CALL);
    const to = await bed.idOf('n1', 'other');
    expect((await bed.savepoint.rewind({ to })).deletedFiles).toEqual(['theirs']);
  });

  it('keeps a rewind of everybody from happening', async () => {
    const { id } = await bed.savepoint.checkpoint({});
    await bed.savepoint.captureBefore(CALL);
    const refused = bed.savepoint.rewind({ to: id });
    await expect(refused).rejects.toMatchObject({ code: 'session-busy' });
  });

  it('keeps an undo of the paths it writes from happening', async () => {
    await bed.write('m0', 'file', 'after');
    await bed.rewind('m0');
    await bed.savepoint.captureBefore(CALL);
    await expect(bed.savepoint.undo()).rejects.toMatchObject({ code: 'session-busy' });
    expect((await bed.savepoint.undo({ force: true })).restoredFiles).toEqual(['file']);
  });
});

describe('a tool call of another process', () => {
  it('keeps the session busy while that process lives, and no longer', async () => {
    const child = otherProcess(true);
    await once(child.stdout, 'data');
    await expect(bed.rewind('m1')).rejects.toMatchObject({ code: 'session-busy' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await bed.rewind('m1')).success).toBe(true);
  });

  it('does not keep it busy when the process ended without a word', async () => {
    const child = otherProcess(false);
    await once(child, 'exit');
    bed.put('file', 'half');
    expect((await bed.rewind('m1')).restoredFiles).toEqual(['file']);
    expect(bed.text('file')).toBe('before');
  });
});
