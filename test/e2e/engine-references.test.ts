import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckpointId } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import { carry } from './transfer.ts';

let bed: Bed;
let ids: CheckpointId[];

beforeEach(async () => {
  bed = await makeBed();
  ids = [];
  for (const message of ['m1', 'm2', 'm3', 'm4']) {
    ids.push((await bed.write(message, 'a', message)).checkpointId);
  }
});
afterEach(() => bed.remove());

const found = async (ref: string): Promise<string> => (await bed.savepoint.resolve(ref)).id;

describe('a checkpoint is found', () => {
  it('by its id, the beginning of it, and by counting back', async () => {
    const [first = '', second = '', third = '', fourth = ''] = ids;
    expect(await found(second)).toBe(second);
    expect(await found(second.slice(0, 10))).toBe(second);
    expect(await found('latest')).toBe(fourth);
    expect(await found('~0')).toBe(fourth);
    expect(await found('~2')).toBe(second);
    expect(await found('latest~1')).toBe(third);
    expect(await found(`${third.slice(0, 10)}~2`)).toBe(first);
    expect(await found(`${third}~0`)).toBe(third);
    await expect(found('~4')).rejects.toMatchObject({ code: 'checkpoint-not-found' });
    await expect(found(`${first}~1`)).rejects.toMatchObject({ code: 'checkpoint-not-found' });
  });

  it('without counting what was kept before a rewind', async () => {
    const { safetyCheckpointId } = await bed.rewind('m3');
    expect(await found('~1')).toBe(ids[2]);
    expect(await found(`${safetyCheckpointId}~1`)).toBe(ids[3]);
  });

  it('by the id of its message, unless an id begins like that', async () => {
    expect(await found('m2')).toBe(ids[1]);
    expect(await found('m2~1')).toBe(ids[0]);
    const start = ids[0]?.slice(0, 6) ?? '';
    await bed.write(start, 'b', 'the name of this message is the beginning of an id');
    await expect(found(start)).rejects.toMatchObject({ code: 'checkpoint-ambiguous' });
    await bed.savepoint.checkpoint({ sessionId: 'other', messageId: 'm4' });
    await expect(found('m4')).rejects.toMatchObject({ code: 'checkpoint-ambiguous' });
  });

  it('by the operation before which it was made', async () => {
    const { operationId, safetyCheckpointId } = await bed.rewind('m3');
    expect(await found(operationId ?? '')).toBe(safetyCheckpointId);
    expect(await found(operationId?.slice(0, 10) ?? '')).toBe(safetyCheckpointId);
    await bed.savepoint.evict([safetyCheckpointId as CheckpointId]);
    await expect(found(operationId ?? '')).rejects.toMatchObject({
      code: 'checkpoint-not-found',
      message: expect.stringContaining('no longer kept'),
    });
  });

  it('by no id of a session, and is told apart from one', async () => {
    const [session] = await bed.savepoint.sessions();
    await expect(found(session?.id ?? '')).rejects.toMatchObject({
      code: 'checkpoint-not-found',
      message: expect.stringContaining('is a session, not a checkpoint'),
    });
  });

  it('by its label, as soon as it has one and as long as it has it', async () => {
    const { id, label } = await bed.savepoint.label('~2', ' before lunch ');
    expect({ id, label }).toEqual({ id: ids[1], label: 'before lunch' });
    expect(await found('before lunch')).toBe(ids[1]);
    expect(await found('before lunch~1')).toBe(ids[0]);
    await bed.reopen();
    expect(await found('before lunch')).toBe(ids[1]);
    await bed.savepoint.label('before lunch', null);
    await expect(found('before lunch')).rejects.toMatchObject({ code: 'checkpoint-not-found' });
  });

  it('by the label that it has here, also where an import brings a checkpoint with the same', async () => {
    const elsewhere = await makeBed();
    await elsewhere.savepoint.checkpoint({ label: 'good' });
    await bed.savepoint.label('~1', 'good');
    await carry(elsewhere, bed, { all: true });
    await elsewhere.remove();
    expect(await found('good')).toBe(ids[2]);
  });
});

describe('a label', () => {
  it.each(['latest', '~1', 'two~12', 'tilde~', '', '   ', 'a\nb', 'red\x1b[31m', 'x'.repeat(201)])(
    'is refused where it would mean something else or cannot be typed: %j',
    async (label) => {
      await expect(bed.savepoint.label('~1', label)).rejects.toMatchObject({
        code: 'argument-invalid',
      });
      await expect(bed.savepoint.checkpoint({ label })).rejects.toMatchObject({
        code: 'argument-invalid',
      });
      expect(await bed.savepoint.list({ labelled: true })).toEqual([]);
    },
  );

  it('never stands before an id on record, whole or shortened', async () => {
    const [first = '', second = ''] = ids;
    for (const label of [first, first.slice(0, 4), first.slice(0, 12)]) {
      await expect(bed.savepoint.label(second, label)).rejects.toMatchObject({
        code: 'argument-invalid',
        message: expect.stringContaining(first),
      });
    }
    // Nobody is shown so few characters of an id.
    await bed.savepoint.label(second, first.slice(0, 2));
    expect(await found(first.slice(0, 2))).toBe(second);
    expect(await found(first.slice(0, 8))).toBe(first);
  });

  it('belongs to one checkpoint, until it is taken away there', async () => {
    const [first = ''] = ids;
    await bed.savepoint.label(first, 'good');
    const taken = {
      code: 'argument-invalid',
      message: expect.stringContaining(first),
      hint: expect.stringContaining(`savepoint label ${first} --remove`),
    };
    await expect(bed.savepoint.label('latest', ' good ')).rejects.toMatchObject(taken);
    await expect(bed.savepoint.checkpoint({ label: 'good' })).rejects.toMatchObject(taken);
    expect(await found('good')).toBe(first);
    await bed.savepoint.label(first, null);
    await bed.savepoint.label('latest', 'good');
    expect(await found('good')).toBe(ids[3]);
  });

  it('may be as long as a sentence, in any script', async () => {
    const label = '👩'.repeat(200);
    await bed.savepoint.label('latest', label);
    expect(await found(label)).toBe(ids[3]);
  });

  it('can be changed, and giving the same again writes nothing', async () => {
    await bed.savepoint.label('latest', 'one');
    await bed.savepoint.label('latest', 'two');
    expect(await bed.savepoint.list({ labelled: true })).toMatchObject([{ label: 'two' }]);
    expect(await bed.savepoint.label('two', 'two')).toMatchObject({ id: ids[3], label: 'two' });
  });
});

describe('the current place', () => {
  it('is the newest checkpoint whose work is in the files, also after undo and redo', async () => {
    expect(await bed.savepoint.currentPlace()).toBe(ids[3]);
    await bed.rewind('m2');
    expect(await bed.savepoint.currentPlace()).toBe(ids[0]);
    await bed.savepoint.undo();
    expect(await bed.savepoint.currentPlace()).toBe(ids[3]);
    await bed.savepoint.redo();
    expect(await bed.savepoint.currentPlace()).toBe(ids[0]);
    // The next message counts as soon as it was sent, whether or not the agent has done anything.
    const { id } = await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm5' });
    expect(await bed.savepoint.currentPlace()).toBe(id);
  });

  it('stays where it is when a rewind takes back only a part', async () => {
    await bed.write('m5', 'b', 'm5');
    await bed.write('m5', 'c', 'm5');
    await bed.rewind('m5', { take: 'message', paths: ['nothing'] });
    await bed.rewind('m2', { paths: ['b'] });
    expect(await bed.savepoint.currentPlace()).toBe(await bed.idOf('m5'));
    expect(bed.text('a')).toBe('m4');
    await bed.rewind('m2', { paths: ['c'] });
    expect(await bed.savepoint.currentPlace()).toBe(ids[3]);
  });

  it('is a checkpoint without work unless that came between some work and its end', async () => {
    const idle = await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'only talk' });
    await bed.write('m5', 'a', 'm5');
    await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'more talk' });
    await bed.rewind('m5');
    expect(await bed.savepoint.currentPlace()).toBe(idle.id);
    await bed.rewind('m4');
    expect(await bed.savepoint.currentPlace()).toBe(ids[2]);
  });

  it('is the work of another session that stands beside what was taken back', async () => {
    const other = { sessionId: 'other', agent: 'other' };
    await bed.tool('n1', ['b'], () => bed.put('b', 'n1'), other);
    await bed.write('m5', 'a', 'm5');
    await bed.rewind('m1');
    expect(await bed.savepoint.currentPlace()).toBe(await bed.idOf('n1', 'other'));
  });

  it('is found behind many that are taken back', async () => {
    for (let n = 5; n < 120; n += 1) await bed.write(`m${n}`, 'a', `m${n}`);
    await bed.rewind('m2');
    expect(await bed.savepoint.currentPlace()).toBe(ids[0]);
  });

  it('is nowhere on an empty timeline, and where all work is taken back', async () => {
    await bed.rewind('m2');
    await bed.savepoint.evict([ids[1] as CheckpointId]);
    expect(await bed.savepoint.currentPlace()).toBe(ids[0]);
    await bed.rewind('m1');
    expect(await bed.savepoint.currentPlace()).toBeNull();
    const empty = await makeBed();
    expect(await empty.savepoint.currentPlace()).toBeNull();
    await empty.remove();
  });
});

describe('a shortened id', () => {
  it('finds a session, unless it fits several', async () => {
    const write = (session: string) =>
      bed.tool('m', ['a'], () => bed.put('a', session), { sessionId: session });
    await write('session-1');
    await write('session-12');
    expect(await bed.savepoint.resolveSession('session-1')).toMatchObject({ id: 'session-1' });
    expect(await bed.savepoint.resolveSession('session-12')).toMatchObject({ id: 'session-12' });
    expect(await bed.savepoint.resolveSession('ag')).toMatchObject({ id: 'agent' });
    await expect(bed.savepoint.resolveSession('session')).rejects.toMatchObject({
      code: 'session-ambiguous',
      details: expect.arrayContaining([expect.objectContaining({ id: 'session-12' })]),
    });
    for (const ref of ['', 'nobody']) {
      const rejected = { code: 'session-not-found' };
      await expect(bed.savepoint.resolveSession(ref)).rejects.toMatchObject(rejected);
    }
  });

  it('finds an operation to undo', async () => {
    const { operationId } = await bed.rewind('m2');
    await bed.write('m5', 'b', 'later');
    await bed.rewind('m5');
    const receipt = await bed.savepoint.undo({ operationId: operationId?.slice(0, 8) ?? '' });
    expect(receipt).toMatchObject({ success: true, restoredFiles: ['a'] });
    expect(bed.text('a')).toBe('m4');
    const unknown = bed.savepoint.undo({ operationId: 'zzzz' });
    await expect(unknown).rejects.toMatchObject({ code: 'operation-not-found' });
  });
});
