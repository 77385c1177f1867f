import { describe, expect, it } from 'vitest';
import type { Command } from '../command.ts';
import { wantedAt } from './complete.ts';

const command: Command = {
  name: 'try',
  arguments: 'ID [PATH...]',
  summary: '',
  details: '',
  options: {
    session: { type: 'string', value: 'ID', help: '', completes: 'session' },
    how: { type: 'string', value: 'HOW', help: '', completes: ['fast', 'slow'] },
    count: { type: 'string', value: 'N', help: '' },
    force: { type: 'boolean', help: '' },
  },
  examples: [],
  completes: ['checkpoint', 'path'],
  run: async () => 0,
};

describe('what fits at the cursor', () => {
  it.each([
    [['tr'], 'command'],
    [['help', ''], 'command'],
    [['try', ''], 'checkpoint'],
    [['try', '--force', ''], 'checkpoint'],
    [['try', 'x', ''], 'path'],
    [['try', 'x', 'y', 'z'], 'path'],
    [['try', '--'], 'option'],
    [['try', 'x', '--fo'], 'option'],
    [['try', '--', '--fo'], 'checkpoint'],
    [['try', 'x', '--', '--fo'], 'path'],
    [['try', '--session', ''], 'session'],
    [['try', '--session', 's', ''], 'checkpoint'],
    [['try', '--session=s', ''], 'checkpoint'],
    [
      ['try', '--how', 'f'],
      ['fast', 'slow'],
    ],
    [['try', '--count', ''], null],
    [['try', '--project', ''], 'folder'],
    [['try', '--unknown', ''], 'checkpoint'],
    [['try', '--__proto__', ''], 'checkpoint'],
  ])('after %j', (words, what) => {
    expect(wantedAt(command, words).what).toEqual(what);
  });

  it('keeps what stands before the value in the same word', () => {
    expect(wantedAt(command, ['try', '--how=fa'])).toMatchObject({
      what: ['fast', 'slow'],
      typed: 'fa',
      before: '--how=',
    });
  });

  it('knows nothing of commands that are none', () => {
    expect(wantedAt(null, ['frob', '']).what).toBeNull();
  });
});
