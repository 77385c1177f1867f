import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { loadAdapter } from '../adapters.ts';

const claudeCode = await loadAdapter('claude-code');

describe('claude-code', () => {
  it('reads a session with a failing command, background work and a sub-agent that outlives the turn', () => {
    const { lines, dropped } = eventsIn(claudeCode, recorded(import.meta.dirname, 'claude-code'));
    expect(lines).toEqual([
      'session-started 742afb5e-c525',
      'message e713b880-335e: STEP-1 go',
      'before-tool Write toolu_fnrvdoav7e of e713b880-335e: /home/dev/project/a.txt',
      'after-tool Write toolu_fnrvdoav7e of e713b880-335e: /home/dev/project/a.txt',
      'before-tool Edit toolu_s3oxa0x96t of e713b880-335e: /home/dev/project/b.txt',
      'after-tool Edit toolu_s3oxa0x96t of e713b880-335e: /home/dev/project/b.txt',
      'before-tool Bash toolu_9lx2slcu0p of e713b880-335e: $ sed -i s/keep/gone/ c.txt',
      'after-tool Bash toolu_9lx2slcu0p of e713b880-335e: $ sed -i s/keep/gone/ c.txt',
      'before-tool Bash toolu_fn1sbkfg6k of e713b880-335e: $ echo par > par.txt',
      'after-tool Bash toolu_fn1sbkfg6k of e713b880-335e: $ echo par > par.txt',
      'before-tool Bash toolu_jlw62mai82 of e713b880-335e: $ exit 3',
      'after-tool Bash toolu_jlw62mai82 of e713b880-335e: $ exit 3',
      'before-tool Bash toolu_60sslfh72d of e713b880-335e: $ sleep 1; echo bg > bg.txt',
      'after-tool Bash toolu_60sslfh72d of e713b880-335e: $ sleep 1; echo bg > bg.txt',
      'sub-agent: before-tool Bash toolu_w860xifski of e713b880-335e: $ echo sub > sub.txt',
      'turn-ended of e713b880-335e',
      'sub-agent: after-tool Bash toolu_w860xifski of e713b880-335e: $ echo sub > sub.txt',
      'sub-agent: before-tool Write toolu_xmyq5dc5jc of e713b880-335e: /home/dev/project/sub2.txt',
      'sub-agent: after-tool Write toolu_xmyq5dc5jc of e713b880-335e: /home/dev/project/sub2.txt',
      'sub-agent: turn-ended of e713b880-335e',
      'turn-continued of 9c5e5963-0b87',
      'turn-ended of 9c5e5963-0b87',
      'turn-continued of 8eaf5b02-be2b',
      'turn-ended of 8eaf5b02-be2b',
      'session-ended 742afb5e-c525',
    ]);
    expect(dropped).toEqual([
      'not-needed PostToolBatch',
      'not-needed SubagentStart',
      'other-tool Agent',
      'other-tool Read',
    ]);
  });

  it('reads sessions in which Esc ended a command without a word', () => {
    const { lines, dropped } = eventsIn(
      claudeCode,
      recorded(import.meta.dirname, 'claude-code-interactive'),
    );
    expect(lines).toEqual([
      'session-started 35ed4192-25bf',
      'message 1045c982-0982: STEP-1 please',
      'before-tool Edit toolu_qsv3sns7mm of 1045c982-0982: /home/dev/project/b.txt',
      'after-tool Edit toolu_qsv3sns7mm of 1045c982-0982: /home/dev/project/b.txt',
      'before-tool Bash toolu_o03qsdrrpc of 1045c982-0982: $ sed -i s/keep/gone/ c.txt',
      'after-tool Bash toolu_o03qsdrrpc of 1045c982-0982: $ sed -i s/keep/gone/ c.txt',
      'turn-ended of 1045c982-0982',
      'message e8ab3661-398e: STEP-2 please',
      'before-tool Write toolu_yb7fnod57t of e8ab3661-398e: /home/dev/project/n.txt',
      'after-tool Write toolu_yb7fnod57t of e8ab3661-398e: /home/dev/project/n.txt',
      'turn-ended of e8ab3661-398e',
      'message 782e5622-547f: STEP-1 please',
      'before-tool Edit toolu_gun723lkax of 782e5622-547f: /home/dev/project/b.txt',
      'after-tool Edit toolu_gun723lkax of 782e5622-547f: /home/dev/project/b.txt',
      'before-tool Bash toolu_3d60pr7agj of 782e5622-547f: $ sed -i s/keep/gone/ c.txt',
      'after-tool Bash toolu_3d60pr7agj of 782e5622-547f: $ sed -i s/keep/gone/ c.txt',
      'turn-ended of 782e5622-547f',
      'message fb9d8862-041b: STEP-3 please',
      'turn-ended of fb9d8862-041b',
      'message a5fb8bbe-08f5: STEP-3 please again',
      'before-tool Bash toolu_q6wrr25fht of a5fb8bbe-08f5: $ echo part > part.txt; timeout 30 tail -f /dev/null',
      'session-ended 35ed4192-25bf',
      'session-started abe24542-687d',
      'message 0ee1ad19-bcc3: STEP-3 without the mod',
      'before-tool Bash toolu_wo31lrrya3 of 0ee1ad19-bcc3: $ echo part > part.txt; timeout 30 tail -f /dev/null',
      'session-ended abe24542-687d',
      'session-started 194c39e2-7ef9',
      'session-ended 194c39e2-7ef9',
    ]);
    expect(dropped).toEqual(['other-tool Read']);
  });

  it('takes Copilot for a session like any other when Copilot runs these hooks', () => {
    const payload = {
      session_id: '17d00400',
      timestamp: '2026-11-15T21:51:45.774Z',
      cwd: '/home/dev/project',
    };
    const { lines } = eventsIn(claudeCode, [
      { ...payload, hook_event_name: 'UserPromptSubmit', prompt: 'STEP-1 go' },
      {
        ...payload,
        hook_event_name: 'PreToolUse',
        tool_name: 'create',
        tool_input: { path: '/home/dev/project/a.txt' },
      },
    ]);
    // The same id as that of Copilot's own event: it is one prompt.
    expect(lines).toEqual([
      'message at-1794779505: STEP-1 go',
      'before-tool create null: /home/dev/project/a.txt',
    ]);
  });

  it('takes tools of other programs for commands, which can write anything, but not our own', () => {
    const call = { session_id: 'one', hook_event_name: 'PreToolUse', tool_input: {} };
    const { lines } = eventsIn(claudeCode, [
      { ...call, tool_name: 'mcp__files__write', tool_use_id: 'toolu_1' },
      { ...call, tool_name: 'mcp__savepoint__rewind', tool_use_id: 'toolu_2' },
    ]);
    expect(lines).toEqual(['before-tool mcp__files__write toolu_1: $ mcp__files__write']);
  });
});
