import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { loadAdapter } from '../adapters.ts';

const qwen = await loadAdapter('qwen');

describe('qwen', () => {
  it('reads a session in which each tool call sends the prompt again', () => {
    const { lines, dropped } = eventsIn(qwen, recorded(import.meta.dirname, 'qwen'));
    expect(lines).toEqual([
      'session-started 7a6dac2c-a506',
      'message 7a6dac2c-a506: STEP-1 go',
      'before-tool write_file toolu_1794779508950_mhhtnpmpr of 7a6dac2c-a506: /home/dev/project/a.txt',
      'after-tool write_file toolu_1794779508950_mhhtnpmpr of 7a6dac2c-a506: /home/dev/project/a.txt',
      'before-tool edit toolu_1794779509176_5ocl326xh of 7a6dac2c-a506: /home/dev/project/b.txt',
      'after-tool edit toolu_1794779509176_5ocl326xh of 7a6dac2c-a506: /home/dev/project/b.txt',
      'before-tool run_shell_command toolu_1794779509348_1g5tqjfzg of 7a6dac2c-a506: $ sed -i s/keep/gone/ c.txt',
      'after-tool run_shell_command toolu_1794779509348_1g5tqjfzg of 7a6dac2c-a506: $ sed -i s/keep/gone/ c.txt',
      'before-tool run_shell_command toolu_1794779509439_qfb6vdd0o of 7a6dac2c-a506: $ exit 3',
      'after-tool run_shell_command toolu_1794779509439_qfb6vdd0o of 7a6dac2c-a506: $ exit 3',
      'turn-ended of 7a6dac2c-a506',
    ]);
    expect(dropped).toEqual(['not-needed Notification', 'other-tool read_file', 'repeated prompt']);
  });
});
