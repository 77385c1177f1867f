import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { loadAdapter } from '../adapters.ts';

const droid = await loadAdapter('droid');

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

  it('reads a session at a terminal, whose prompts have ids', () => {
    const events = recorded(import.meta.dirname, 'droid-interactive');
    const { lines, dropped } = eventsIn(droid, events);
    expect(lines).toEqual([
      'session-started fb5ddc92-ba0a',
      'message 4956bad5-8fe1: The first short part',
      'before-tool Create null: /home/dev/project/new.txt',
      'after-tool Create null: /home/dev/project/new.txt',
      'before-tool Execute null: $ sed -i s/keep/gone/ notes.txt',
      'after-tool Execute null: $ sed -i s/keep/gone/ notes.txt',
      'turn-ended',
      'message 992395e8-1560: The second short part',
      'before-tool Execute null: $ rm old.txt; echo two > two.txt',
      'after-tool Execute null: $ rm old.txt; echo two > two.txt',
      'turn-ended',
      // Esc ends this command.
      'message 83cc1705-7198: Something slow',
      'before-tool Execute null: $ touch slow.txt; sleep 20',
      'turn-ended',
      'session-ended fb5ddc92-ba0a',
    ]);
    expect(dropped).toEqual([]);
  });
});
