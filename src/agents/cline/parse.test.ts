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

  it('reads a session at a terminal, whose last turn Esc ends', () => {
    const { lines, dropped } = eventsIn(
      cline,
      recorded(import.meta.dirname, 'cline-interactive').map(withoutName),
    );
    expect(lines).toEqual([
      'session-started 1794969319762',
      'message at-1794969324: ',
      'before-tool editor call_54c2ed61-6b86-44b5-8d90-07e58802379e: /home/dev/project/new.txt',
      'after-tool editor call_54c2ed61-6b86-44b5-8d90-07e58802379e: /home/dev/project/new.txt',
      'before-tool run_commands call_77845ba9-7631-414d-ac35-b90d6d9b4419: $ sed -i s/keep/gone/ notes.txt',
      'after-tool run_commands call_77845ba9-7631-414d-ac35-b90d6d9b4419: $ sed -i s/keep/gone/ notes.txt',
      'turn-ended',
      'session-started 1794969319762',
      'message at-1794969330: ',
      'before-tool run_commands call_51c55afb-f056-4eb6-82ba-c781f7c8b599: $ rm old.txt; echo two > two.txt',
      'after-tool run_commands call_51c55afb-f056-4eb6-82ba-c781f7c8b599: $ rm old.txt; echo two > two.txt',
      'turn-ended',
      'session-started 1794969319762',
      'message at-1794969336: ',
      'before-tool run_commands call_a30fa560-f526-4b15-adca-319b77e1cf6c: $ touch slow.txt; sleep 20',
      'after-tool run_commands call_a30fa560-f526-4b15-adca-319b77e1cf6c: $ touch slow.txt; sleep 20',
      'interrupted',
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

  it('reads how else a turn of the command line begins and ends', () => {
    const payload = { taskId: '1', workspaceRoots: ['/home/dev/project'] };
    const { lines } = eventsIn(cline, [
      { ...payload, hookName: 'agent_resume' },
      { ...payload, hookName: 'agent_error' },
      { ...payload, hookName: 'agent_abort' },
    ]);
    expect(lines).toEqual(['session-started 1', 'message no id: ', 'turn-ended', 'interrupted']);
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
