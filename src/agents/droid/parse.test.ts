import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { droid } from './parse.ts';

describe('droid', () => {
  it('reads a session without prompts, and a command without an end', () => {
    const { lines, dropped } = eventsIn(droid, recorded(import.meta.dirname, 'droid'));
    expect(lines).toEqual([
      'session-started 463f66d9-7f54',
      'before-tool Create null: /home/dev/project/a.txt',
      'after-tool Create null: /home/dev/project/a.txt',
      'before-tool Edit null: /home/dev/project/b.txt',
      'after-tool Edit null: /home/dev/project/b.txt',
      'before-tool Execute null: $ sed -i s/keep/gone/ c.txt',
      'after-tool Execute null: $ sed -i s/keep/gone/ c.txt',
      'before-tool Execute null: $ exit 3',
      'turn-ended',
      'session-ended 463f66d9-7f54',
    ]);
    expect(dropped).toEqual(['other-tool Read']);
  });
});
