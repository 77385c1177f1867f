import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { cline } from './parse.ts';

describe('cline', () => {
  it('reads a session that three hooks tell', () => {
    const { lines, dropped } = eventsIn(
      cline,
      recorded(import.meta.dirname, 'cline').map(withoutName),
    );
    expect(lines).toEqual([
      'session-started 1794779639901',
      'message at-1794779640: ',
      'session-started 1794779639901',
      'message at-1794779640: ',
      'session-started 1794779639901',
      'message at-1794779640: ',
      'before-tool run_commands call_4uih71xuj3: $ sed -i s/keep/gone/ c.txt',
      'before-tool run_commands call_4uih71xuj3: $ sed -i s/keep/gone/ c.txt',
      'before-tool run_commands call_4uih71xuj3: $ sed -i s/keep/gone/ c.txt',
      'after-tool run_commands call_4uih71xuj3: $ sed -i s/keep/gone/ c.txt',
      'after-tool run_commands call_4uih71xuj3: $ sed -i s/keep/gone/ c.txt',
      'after-tool run_commands call_4uih71xuj3: $ sed -i s/keep/gone/ c.txt',
      'before-tool editor call_wnv4s6r2p2: /home/dev/project/b.txt',
      'before-tool editor call_wnv4s6r2p2: /home/dev/project/b.txt',
      'before-tool editor call_wnv4s6r2p2: /home/dev/project/b.txt',
      'after-tool editor call_wnv4s6r2p2: /home/dev/project/b.txt',
      'after-tool editor call_wnv4s6r2p2: /home/dev/project/b.txt',
      'after-tool editor call_wnv4s6r2p2: /home/dev/project/b.txt',
      'before-tool editor call_5uby2avbr5: /home/dev/project/a.txt',
      'before-tool editor call_5uby2avbr5: /home/dev/project/a.txt',
      'before-tool editor call_5uby2avbr5: /home/dev/project/a.txt',
      'after-tool editor call_5uby2avbr5: /home/dev/project/a.txt',
      'after-tool editor call_5uby2avbr5: /home/dev/project/a.txt',
      'after-tool editor call_5uby2avbr5: /home/dev/project/a.txt',
      'turn-ended',
      'turn-ended',
      'turn-ended',
    ]);
    expect(dropped).toEqual([]);
  });

  it('reads the events of the extension, which have other names and no ids', () => {
    const payload = { taskId: '1', workspaceRoots: ['/home/dev/project'] };
    const preToolUse = { toolName: 'write_to_file', parameters: { path: 'a.txt' } };
    const { lines } = eventsIn(cline, [
      { ...payload, hookName: 'TaskStart' },
      { ...payload, hookName: 'UserPromptSubmit', userPromptSubmit: { prompt: 'go' } },
      { ...payload, hookName: 'PreToolUse', preToolUse },
      { ...payload, hookName: 'PostToolUse', postToolUse: preToolUse },
      { ...payload, hookName: 'TaskCancel' },
    ]);
    expect(lines).toEqual([
      'session-started 1',
      'message no id: go',
      'before-tool write_to_file null: a.txt',
      'after-tool write_to_file null: a.txt',
      'interrupted',
    ]);
  });

  it('tells a sub-agent by its parent', () => {
    const payload = { taskId: '1', agent_id: 'agent_2', parent_agent_id: 'agent_1' };
    const { lines } = eventsIn(cline, [
      { ...payload, hookName: 'agent_start' },
      { ...payload, hookName: 'agent_end' },
    ]);
    expect(lines).toEqual(['sub-agent: turn-ended']);
  });
});

/** The recording has the name of the script before each payload. */
function withoutName(line: unknown): unknown {
  return Object(line).payload;
}
