import { describe, expect, it } from 'vitest';
import { FileCheckpointService } from '../../src/integrations/file-checkpoint/index.ts';
import { hostileBed, refusalOf } from './hostile-bed.ts';

const bed = hostileBed();

/** Ids that a model or a client makes up. They are data, and come back as they went in. */
const accepted = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  "'; DROP TABLE changes; --",
  '" OR 1=1 --',
  "x' UNION SELECT * FROM blobs --",
  '%',
  '_',
  '*',
  'NULL',
  '0',
  '-1',
  'null',
  'undefined',
  ' ',
  '../../etc/passwd',
  '/etc/passwd',
  '\u001b[2J\u001b]0;owned\u0007',
  '\u202eevil\u202c',
  '\r\n',
  '\u0001\u007f\u009b',
  'caf\u00e9',
  'cafe\u0301',
  '\u{1f642}',
  'i'.repeat(1024),
  '$(touch x)',
  '`id`',
  '{"$ne":null}',
  '{{7*7}}',
  '<script>alert(1)</script>',
];

/** Ids that no store could keep apart, or that nobody could find again. */
const refused: [what: string, id: string][] = [
  ['nothing', ''],
  ['a NUL', 'a\0b'],
  ['a NUL at the end', 'a\0'],
  ['a lone surrogate', 'a\ud800'],
  ['a lone low surrogate', '\udfff'],
  ['too much', 'i'.repeat(1025)],
  ['far too much', 'i'.repeat(1_000_000)],
];

describe('an id', () => {
  it.each(accepted)('of a session and a message may be %j', async (id) => {
    bed().put('file', 'before');
    await bed().tool(id, ['file'], () => bed().put('file', 'after'), {
      sessionId: id,
      toolCallId: id,
      agent: id,
      description: id,
    });
    await bed().write('m1', 'other', 'x');
    const found = await bed().savepoint.list({ sessionIds: [id], messageId: id });
    expect(found).toMatchObject([{ sessionId: id, messageId: id, agent: id, description: id }]);
    const receipt = await bed().savepoint.rewind({ to: found[0]?.id ?? '' });
    expect(receipt.restoredFiles).toEqual(['file']);
    expect(Object.keys(bed().tree())).toContain('other');
  });

  it.each(accepted)('of the service may be %j', async (id) => {
    const service = new FileCheckpointService(bed().savepoint);
    bed().put('file', 'before');
    await service.createCheckpoint(id, id, 'file');
    bed().put('file', 'after');
    service.noteFailure(id, { filePath: 'x', error: 'noted' });
    expect(await service.getCheckpoints(id)).toMatchObject([{ sessionId: id, messageId: id }]);
    const result = await service.rewindFiles(id, id);
    expect(result).toMatchObject({ success: false, errors: [{ error: 'noted' }] });
    expect(bed().text('file')).toBe('before');
  });

  it.each(accepted)('of a checkpoint or an operation is not found by %j', async (id) => {
    await bed().savepoint.checkpoint({});
    const found = await refusalOf(() => bed().savepoint.resolve(id));
    expect(found.code).toBe('checkpoint-not-found');
    const undone = await refusalOf(() => bed().savepoint.undo({ operationId: id }));
    expect(undone.code).toBe('operation-not-found');
  });

  it.each(refused)('is not %s', async (_what, id) => {
    const { savepoint } = bed();
    const service = new FileCheckpointService(savepoint);
    for (const enter of [
      () => savepoint.checkpoint({ sessionId: id, messageId: 'm' }),
      () => savepoint.checkpoint({ sessionId: 's', messageId: id }),
      () => savepoint.captureBefore({ sessionId: id, messageId: 'm', paths: ['a'] }),
      () => savepoint.endTurn(id),
      () => service.createCheckpoint('s', id, 'a'),
      () => service.rewindFiles(id, 'm'),
      () => service.getCheckpoints(id),
    ]) {
      expect((await refusalOf(enter)).code).toBe('argument-invalid');
    }
    expect(await savepoint.sessions()).toEqual([]);
  });

  it('that was archived or evicted by another name stays', async () => {
    await bed().savepoint.checkpoint({ sessionId: 'a%b', messageId: 'm' });
    await bed().savepoint.checkpoint({ sessionId: 'aXb', messageId: 'm' });
    await bed().savepoint.archiveSession('a%b');
    const archived = (await bed().savepoint.sessions()).filter((one) => one.archivedAt !== null);
    expect(archived.map((session) => session.id)).toEqual(['a%b']);
  });
});

describe('a description', () => {
  it.each([
    ['with a NUL', 'a\0b', 'a\ufffdb'],
    ['with broken Unicode', 'a\ud800b', 'a\ufffdb'],
  ])('%s is kept as text that can be stored', async (_what, description, kept) => {
    const by = await bed().savepoint.checkpoint({ description });
    const message = { sessionId: 's', messageId: 'm', description };
    const of = await bed().savepoint.checkpoint(message);
    expect([by.description, of.description]).toEqual([kept, kept]);
    expect((await bed().savepoint.list()).map((one) => one.description)).toEqual([kept, kept]);
  });

  it('without end is shortened', async () => {
    const description = 'd'.repeat(10_000_000);
    const request = { sessionId: 's', messageId: 'm', description, paths: ['a'] };
    await bed().savepoint.captureBefore(request);
    await bed().savepoint.checkpoint({ description });
    for (const one of await bed().savepoint.list()) {
      expect(one.description).toHaveLength(100_000);
    }
  });

  it('is no label where it is without end or steers a terminal', async () => {
    for (const label of ['l'.repeat(10_000_000), 'a\u001b[2J', 'a\nb']) {
      await expect(bed().savepoint.checkpoint({ label })).rejects.toMatchObject({
        code: 'argument-invalid',
      });
    }
    expect(await bed().savepoint.list()).toEqual([]);
  });
});
