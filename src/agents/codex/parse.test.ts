import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { loadAdapter } from '../adapters.ts';

const codex = await loadAdapter('codex');

describe('codex', () => {
  it('reads a session that was interrupted and resumed', () => {
    const { lines, dropped } = eventsIn(codex, recorded(import.meta.dirname, 'codex'));
    expect(lines).toEqual([
      'session-started 01a1e116-00f3',
      'message 01a1e116-26ba: STEP-1 go',
      'before-tool apply_patch call_gbwhgu9slg of 01a1e116-26ba: b.txt',
      'after-tool apply_patch call_gbwhgu9slg of 01a1e116-26ba: b.txt',
      'before-tool Bash call_0p1alyzdcl of 01a1e116-26ba: $ sed -i s/keep/gone/ c.txt',
      'after-tool Bash call_0p1alyzdcl of 01a1e116-26ba: $ sed -i s/keep/gone/ c.txt',
      'turn-ended of 01a1e116-26ba',
      'message 01a1e116-3921: STEP-3 long',
      'before-tool Bash call_ukt46alweg of 01a1e116-3921: $ echo part > part.txt; tail -f /dev/null',
      'interrupted of 01a1e116-3921',
      'session-ended 01a1e116-00f3',
      'session-started 01a1e116-00f3',
      'message 01a1e116-ca7d: STEP-2 after',
      'before-tool Bash call_9uksndqsrh of 01a1e116-ca7d: $ echo n > n.txt',
      'after-tool Bash call_9uksndqsrh of 01a1e116-ca7d: $ echo n > n.txt',
      'turn-ended of 01a1e116-ca7d',
      'session-ended 01a1e115-c289',
      'session-ended 01a1e116-00f3',
    ]);
    expect(dropped).toEqual([]);
  });

  it('reads patches of several files, a patch that failed, and commands at once', () => {
    const { lines, dropped } = eventsIn(codex, recorded(import.meta.dirname, 'codex-code-mode'));
    expect(lines).toEqual([
      'session-started 01a1e115-33ed',
      'message 01a1e115-3413: STEP-1 go',
      'before-tool apply_patch exec-b64756b8-d755-4230-9b68-35d73cc14abd of 01a1e115-3413: a.txt b.txt d.txt',
      'after-tool apply_patch exec-b64756b8-d755-4230-9b68-35d73cc14abd of 01a1e115-3413: a.txt b.txt d.txt',
      'before-tool Bash exec-71b73c5a-06e8-4c08-bb0f-3e280389a77d of 01a1e115-3413: $ sed -i s/keep/gone/ c.txt',
      'after-tool Bash exec-71b73c5a-06e8-4c08-bb0f-3e280389a77d of 01a1e115-3413: $ sed -i s/keep/gone/ c.txt',
      'before-tool apply_patch exec-25890a8a-b329-49c9-af2b-843849809579 of 01a1e115-3413: nowhere.txt',
      'before-tool Bash exec-41ade2cd-3b41-4669-a693-73415e715d6a of 01a1e115-3413: $ echo p1 > p1.txt',
      'before-tool Bash exec-0e947099-4197-40f0-a6f0-64dd20692b6b of 01a1e115-3413: $ exit 3',
      'after-tool Bash exec-41ade2cd-3b41-4669-a693-73415e715d6a of 01a1e115-3413: $ echo p1 > p1.txt',
      'after-tool Bash exec-0e947099-4197-40f0-a6f0-64dd20692b6b of 01a1e115-3413: $ exit 3',
      'turn-ended of 01a1e115-3413',
      'session-ended 01a1e115-33ed',
    ]);
    expect(dropped).toEqual([]);
  });

  it('finds the files of a patch that moves one', () => {
    const command = [
      '*** Begin Patch',
      '*** Update File: src/old name.ts',
      '*** Move to: src/new.ts',
      '@@',
      '-a',
      '+*** Delete File: not-a-header.ts',
      '*** Update File: src/old name.ts',
      '*** End Patch',
    ].join('\n');
    const { lines } = eventsIn(codex, [call('apply_patch', command)]);
    expect(lines).toEqual(['before-tool apply_patch call_1: src/old name.ts src/new.ts']);
  });

  it('takes an apply_patch in a shell for a command', () => {
    const { lines } = eventsIn(codex, [call('Bash', "apply_patch <<'EOF'")]);
    expect(lines).toEqual(["before-tool Bash call_1: $ apply_patch <<'EOF'"]);
  });

  it('has no event for a patch without files', () => {
    const { lines, dropped } = eventsIn(codex, [call('apply_patch', 'nonsense')]);
    expect(lines).toEqual([]);
    expect(dropped).toEqual(['malformed payload.tool_input of apply_patch']);
  });
});

function call(tool_name: string, command: string): object {
  return {
    session_id: 'one',
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input: { command },
    tool_use_id: 'call_1',
  };
}
