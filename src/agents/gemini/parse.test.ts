import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { loadAdapter } from '../adapters.ts';

const gemini = await loadAdapter('gemini');

describe('gemini', () => {
  it('reads a session without ids of prompts and calls, and a cancelled command', () => {
    const { lines, dropped } = eventsIn(gemini, recorded(import.meta.dirname, 'gemini'));
    expect(lines).toEqual([
      'session-started 1455d134-14fc',
      'message at-1794777868: STEP-1 go',
      'before-tool replace null: /home/dev/project/b.txt',
      'after-tool replace null: /home/dev/project/b.txt',
      'before-tool run_shell_command null: $ sed -i s/keep/gone/ c.txt',
      'after-tool run_shell_command null: $ sed -i s/keep/gone/ c.txt',
      'turn-ended',
      'message at-1794777881: STEP-3 long',
      'before-tool run_shell_command null: $ echo part > part.txt; tail -f /dev/null',
      'after-tool run_shell_command null: $ echo part > part.txt; tail -f /dev/null',
      'message at-1794777915: STEP-2 x',
      'before-tool write_file null: /home/dev/project/n.txt',
      'after-tool write_file null: /home/dev/project/n.txt',
      'turn-ended',
      'session-ended 1455d134-14fc',
      'session-ended 1455d134-14fc',
      'session-ended 1455d134-14fc',
    ]);
    expect(dropped).toEqual(['not-needed PreCompress']);
  });
});
