import { describe, expect, it } from 'vitest';
import { Checkpoint } from './checkpoint.ts';

const DICT = {
  id: 'ckpt-exec-001-0',
  execution_id: 'exec-001',
  step_name: 'data_fetch',
  step_index: 0,
  timestamp: '2024-11-16T10:30:45.123Z',
  state: { phase: 'x' },
  context: { messages: [] },
  variables: { n: 1 },
  status: 'failed',
  error: 'no network',
  metadata: { attempt: 3 },
};

describe('the dictionary of a checkpoint', () => {
  it('comes back as it went', () => {
    const checkpoint = Checkpoint.fromDict(DICT);
    expect(checkpoint).toMatchObject({
      executionId: 'exec-001',
      stepName: 'data_fetch',
      attempt: 3,
    });
    expect(checkpoint.timestamp).toEqual(new Date('2024-11-16T10:30:45.123Z'));
    expect(checkpoint.toDict()).toEqual(DICT);
    expect(Object.keys(checkpoint.toDict())).toEqual(Object.keys(DICT));
  });

  it('may leave out what has a default', () => {
    const { status: _status, error: _error, metadata: _metadata, ...rest } = DICT;
    const read = Checkpoint.fromDict(rest);
    expect(read).toMatchObject({ status: 'success', error: null, metadata: {}, attempt: 1 });
  });

  it.each([
    // Without a zone it is local time, as Python means it.
    ['2024-11-16T10:30:45.123456', new Date(2024, 10, 16, 10, 30, 45, 123)],
    ['2024-11-16T10:30:45', new Date(2024, 10, 16, 10, 30, 45)],
    ['2024-11-16 10:30:45', new Date(2024, 10, 16, 10, 30, 45)],
    ['2024-11-16T10:30', new Date(2024, 10, 16, 10, 30)],
    ['2024-11-16T10:30:45.123456+02:00', new Date('2024-11-16T08:30:45.123Z')],
    ['2024-11-16T10:30:45Z', new Date('2024-11-16T10:30:45.000Z')],
    ['2024-02-29T00:00:00Z', new Date('2024-02-29T00:00:00.000Z')],
  ])('may say the time as %s', (timestamp, expected) => {
    expect(Checkpoint.fromDict({ ...DICT, timestamp }).timestamp).toEqual(expected);
  });

  it.each([
    ['id', ''],
    ['id', 7],
    ['execution_id', undefined],
    ['execution_id', ''],
    ['step_name', null],
    ['step_index', -1],
    ['step_index', 1.5],
    ['step_index', '1'],
    ['step_index', Number.NaN],
    ['timestamp', undefined],
    ['timestamp', new Date(0)],
    ['timestamp', 'yesterday'],
    ['timestamp', '2024-11-16'],
    ['timestamp', '2023-02-29T00:00:00Z'],
    ['timestamp', '2024-13-01T00:00:00Z'],
    ['timestamp', '2024-11-16T25:00:00Z'],
    ['timestamp', '2024-11-16T10:30:45Z and more'],
    ['timestamp', 'x 2024-11-16T10:30:45Z'],
    ['state', undefined],
    ['state', null],
    ['state', []],
    ['state', 'text'],
    ['context', new Map()],
    ['variables', 7],
    ['status', 'done'],
    ['status', null],
    ['error', 7],
    ['metadata', []],
    ['metadata', null],
  ])('is refused with the field that is wrong: %s %j', (field, value) => {
    expect(() => Checkpoint.fromDict({ ...DICT, [field]: value })).toThrow(
      expect.objectContaining({
        code: 'checkpoint-invalid',
        path: field,
        message: expect.stringContaining(field),
      }),
    );
  });

  it.each([null, undefined, 'text', [DICT], 7])('is no %j', (data) => {
    expect(() => Checkpoint.fromDict(data)).toThrow(
      expect.objectContaining({ code: 'checkpoint-invalid' }),
    );
  });
});
