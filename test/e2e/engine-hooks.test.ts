import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed({ scan: true });
  bed.put('file', 'before');
});
afterEach(() => bed.remove());

const MESSAGE = { sessionId: 'agent', messageId: 'm1' };
const CONVERSATION = { id: 'c', promptId: 'p', turnId: null, transcriptPath: '/t.jsonl' };

describe('the conversation of a checkpoint', () => {
  it('is kept with it', async () => {
    const { id } = await bed.savepoint.checkpoint({ ...MESSAGE, conversation: CONVERSATION });
    await bed.reopen();
    expect((await bed.savepoint.resolve(id)).conversation).toEqual(CONVERSATION);
    const other = await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm2' });
    expect(other.conversation).toBe(null);
  });

  it('can be told after the message was first mentioned, once', async () => {
    await bed.write('m1', 'file', 'after');
    const told = await bed.savepoint.checkpoint({ ...MESSAGE, conversation: CONVERSATION });
    expect(told.conversation).toEqual(CONVERSATION);
    const again = { ...MESSAGE, conversation: { ...CONVERSATION, id: 'another' } };
    expect((await bed.savepoint.checkpoint(again)).id).toBe(told.id);
    const [kept] = await bed.savepoint.list({ messageId: 'm1' });
    expect(kept).toMatchObject({ seq: told.seq, conversation: CONVERSATION });
  });
});

describe('a caller that has no time for the first scan', () => {
  it('leaves a gap at the message and goes on', async () => {
    const { coverage } = await bed.savepoint.checkpoint({ ...MESSAGE, baseline: false });
    expect(coverage).toBe('no-baseline');
    expect(await bed.savepoint.isScanned()).toBe(false);
    await bed.tool('m1', ['file'], () => bed.put('file', 'after'));
    await bed.savepoint.endTurn('agent', { baseline: false });
    await bed.savepoint.endSession('agent');
    expect(await bed.savepoint.isScanned()).toBe(false);
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('before');
  });

  it('does not make it at the end of a command either, and scans once there is one', async () => {
    const call = { ...MESSAGE, toolCallId: 'call-1' };
    const { report } = await bed.savepoint.openWindow({ ...call, baseline: false });
    expect(report.coverage).toBe('no-baseline');
    expect((await bed.savepoint.closeCall(call))?.coverage).toBe('no-baseline');
    expect(await bed.savepoint.isScanned()).toBe(false);
    await bed.savepoint.scan();
    await bed.savepoint.openWindow({ ...call, baseline: false });
    bed.put('new', 'x');
    const found = await bed.savepoint.closeCall(call);
    expect(found?.changes).toMatchObject([{ path: 'new', attribution: 'inferred' }]);
  });

  it('records the rest of a command whose first half no scan has seen', async () => {
    const call = { ...MESSAGE, toolCallId: 'call-1' };
    await bed.savepoint.openWindow({ ...call, baseline: false });
    bed.put('early', 'x');
    await bed.savepoint.scan();
    bed.put('late', 'x');
    const found = await bed.savepoint.closeCall(call);
    expect(found?.changes).toMatchObject([{ path: 'late', attribution: 'inferred' }]);
  });
});

describe('a session', () => {
  it('remembers its agent until it ends, and the next one when it is resumed', async () => {
    const processId = process.pid;
    await bed.savepoint.checkpoint({ ...MESSAGE, owner: { processId } });
    const owner = async () => (await bed.savepoint.sessions())[0]?.owner;
    expect(await owner()).toMatchObject({ kind: 'process', processId });
    await bed.write('m1', 'file', 'after');
    expect(await owner()).toMatchObject({ processId });
    await bed.savepoint.checkpoint({ ...MESSAGE, owner: { processId: process.ppid } });
    expect(await owner()).toMatchObject({ processId: process.ppid });
    await bed.savepoint.endSession('agent');
    expect(await owner()).toBe(null);
  });
});

describe('an agent whose work was taken back', () => {
  const untold = (sessionId = 'agent') => bed.savepoint.untold(sessionId);

  it('is told once which files are not as it left them', async () => {
    await bed.write('m1', 'file', 'after');
    await bed.write('m1', 'new/other', 'after');
    expect(await untold()).toBe(null);
    const { operationId } = await bed.rewind('m1');
    expect(await untold()).toEqual({
      paths: ['file', 'new/other'],
      count: 2,
      operationIds: [operationId],
    });
    await bed.savepoint.tell('agent');
    expect(await untold()).toBe(null);
    await bed.savepoint.undo();
    expect(await untold()).toMatchObject({ count: 2 });
  });

  it('is not told of what was taken back and brought back', async () => {
    await bed.write('m1', 'file', 'after');
    await bed.rewind('m1');
    await bed.savepoint.undo();
    expect(await untold()).toBe(null);
  });

  it('is not told of files that only others had changed', async () => {
    await bed.write('m1', 'file', 'after');
    const theirs = { sessionId: 'other' };
    await bed.tool('n1', ['theirs'], () => bed.put('theirs', 'x'), theirs);
    await bed.rewind('m1');
    expect(await untold('other')).toBe(null);
    expect(await untold('nobody')).toBe(null);
    await bed.tool('n2', ['file'], () => bed.put('file', 'theirs'), theirs);
    expect(await untold('other')).toBe(null);
  });

  it('is told with its sub-agents and its continuation, each by itself', async () => {
    await bed.write('m1', 'file', 'after');
    await bed.rewind('m1');
    await bed.savepoint.tell('agent');
    const next = { sessionId: 'next', parentSessionId: 'agent', messageId: 'm2' };
    await bed.savepoint.checkpoint(next);
    expect(await untold('next')).toBe(null);
    await bed.savepoint.undo();
    expect(await untold('agent')).toMatchObject({ paths: ['file'] });
    await bed.savepoint.tell('agent');
    expect(await untold('next')).toMatchObject({ paths: ['file'] });
  });

  it('hears no name of a private file, only that there is one', async () => {
    bed.put('.gitignore', 'secret\n');
    await bed.savepoint.checkpoint(MESSAGE);
    await bed.tool('m1', ['secret', 'file'], () => {
      bed.put('secret', 'x');
      bed.put('file', 'after');
    });
    await bed.rewind('m1');
    expect(await untold()).toMatchObject({ paths: ['file'], count: 2 });
  });
});
