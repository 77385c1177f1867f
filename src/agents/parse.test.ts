import { describe, expect, it } from 'vitest';
import { loadAdapter } from './adapters.ts';
import { AGENT_NAMES } from './agent-adapter.ts';

const NONSENSE: readonly unknown[] = [
  null,
  undefined,
  0,
  'text',
  [],
  {},
  { session_id: 1, hook_event_name: 'Stop' },
  { session_id: '', hook_event_name: 'Stop' },
  { session_id: 'a\0b', hook_event_name: 'Stop' },
  { session_id: 'a', hook_event_name: 'toString' },
  { session_id: 'a', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: null },
  { session_id: 'a', hook_event_name: 'PreToolUse', tool_name: '__proto__', tool_input: {} },
  { sessionId: 'a', toolName: 'constructor', toolArgs: {} },
  { event: '__proto__', payload: {} },
  { event: 'hasOwnProperty', payload: {}, session: { id: 'a' } },
  { taskId: 'a', hookName: 'valueOf' },
];

describe('every adapter', () => {
  it.each(AGENT_NAMES)('of %s says why a payload means nothing', async (name) => {
    const { parse } = await loadAdapter(name);
    for (const payload of NONSENSE) {
      const { events, dropped } = parse(payload, null);
      expect(events).toEqual([]);
      expect(dropped?.reason).toMatch(/^(malformed|unknown-event|other-tool)$/);
    }
  });
});

describe('a tool that writes a file', () => {
  it('has no event where its path cannot be one', async () => {
    const { parse } = await loadAdapter('claude-code');
    const reasonFor = (file_path: unknown) => {
      const call = { tool_name: 'Write', tool_input: { file_path } };
      const payload = { session_id: 'a', hook_event_name: 'PreToolUse', ...call };
      return parse(payload, null).dropped?.reason;
    };
    expect(reasonFor('a.txt')).toBeUndefined();
    for (const path of ['', 'a\0b', 'x'.repeat(5000), '\ud800', 7, null, ['a']]) {
      expect(reasonFor(path)).toBe('malformed');
    }
  });
});
