import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { copilot } from './parse.ts';

describe('copilot', () => {
  it('tells the events of a session by their fields', () => {
    const { lines, dropped } = eventsIn(copilot, recorded(import.meta.dirname, 'copilot'));
    expect(lines).toEqual([
      'session-started 17d00400-bfa1',
      'message at-1794779505: STEP-1 go',
      'before-tool create null: /home/dev/project/a.txt',
      'after-tool create null: /home/dev/project/a.txt',
      'before-tool edit null: /home/dev/project/b.txt',
      'after-tool edit null: /home/dev/project/b.txt',
      'before-tool bash null: $ sed -i s/keep/gone/ c.txt',
      'after-tool bash null: $ sed -i s/keep/gone/ c.txt',
      'before-tool bash null: $ exit 3',
      'after-tool bash null: $ exit 3',
      'turn-ended',
      'session-ended 17d00400-bfa1',
    ]);
    expect(dropped).toEqual(['other-tool view']);
  });

  it('reads arguments that come as text', () => {
    const { lines } = eventsIn(copilot, [
      { sessionId: 'one', toolName: 'bash', toolArgs: '{"command":"ls"}' },
    ]);
    expect(lines).toEqual(['before-tool bash null: $ ls']);
  });
});
