import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { pi } from './parse.ts';

describe('pi', () => {
  it('reads a session', () => {
    const { lines, dropped } = eventsIn(pi, recorded(import.meta.dirname, 'pi').map(inSession));
    expect(lines).toEqual([
      'session-started 01a1e132-8f76',
      'message no id: STEP-1 go',
      'before-tool write call_vcgzhukt4x: /home/dev/project/a.txt',
      'after-tool write call_vcgzhukt4x: ',
      'before-tool edit call_ulqfw1nqhm: /home/dev/project/b.txt',
      'after-tool edit call_ulqfw1nqhm: ',
      'before-tool bash call_7r7tdkth4n: $ sed -i s/keep/gone/ c.txt',
      'after-tool bash call_7r7tdkth4n: ',
      'before-tool bash call_c677wkjmsf: $ exit 3',
      'after-tool bash call_c677wkjmsf: ',
      'session-ended 01a1e132-8f76',
    ]);
    expect(dropped).toEqual([
      'not-needed agent_start',
      'not-needed session',
      'not-needed tool_execution_start',
      'not-needed tool_result',
      'not-needed turn_start',
      'other-tool read',
    ]);
  });

  it('ends a turn, and knows the prompt by the id that the plug-in gave it', () => {
    const { lines, dropped } = eventsIn(pi, [
      { ...inSession({ event: 'input', payload: { text: 'go' } }), messageId: 'prompt-1' },
      inSession({ event: 'input', payload: { text: 'go', source: 'extension' } }),
      inSession({ event: 'agent_end', payload: {} }),
    ]);
    expect(lines).toEqual(['message prompt-1: go', 'turn-ended']);
    expect(dropped).toEqual(['not-needed input of an extension']);
  });
});

/** The plug-in says which session an event belongs to. */
function inSession(line: unknown): object {
  return { ...Object(line), session: { id: '01a1e132-8f76-731b-b949-26dc9e80cc59', file: null } };
}
