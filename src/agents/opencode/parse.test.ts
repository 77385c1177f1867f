import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { loadAdapter } from '../adapters.ts';

const opencode = await loadAdapter('opencode');

describe('opencode', () => {
  it('reads a session with an interrupt and a fork', () => {
    const { lines, dropped } = eventsIn(opencode, recorded(import.meta.dirname, 'opencode'));
    expect(lines).toEqual([
      'before-tool edit toolu_h9f6f6flas: /home/dev/project/b.txt',
      'before-tool bash toolu_3tt4kshibs: $ sed -i s/keep/gone/ c.txt',
      'after-tool bash toolu_3tt4kshibs: $ sed -i s/keep/gone/ c.txt',
      'turn-ended',
      'before-tool bash toolu_espyiqmg5t: $ echo part > part.txt; tail -f /dev/null',
      'interrupted',
      'turn-ended',
      'after-tool bash toolu_espyiqmg5t: $ echo part > part.txt; tail -f /dev/null',
      'turn-ended',
      'turn-ended',
      'session-started ses_e1edd9022',
    ]);
    expect(dropped).toEqual([
      'not-needed INIT',
      'not-needed command.execute.before',
      'not-needed dispose',
      'not-needed event command.executed',
      'not-needed event file.edited',
      'not-needed event message.removed',
      'not-needed event message.updated',
      'not-needed event session.status',
      'not-needed message.part.updated',
      'not-needed session.updated',
      'not-needed shell.env',
      'other-tool read',
    ]);
  });

  it('reads what a sub-agent does as work for the prompt that started it', () => {
    const parent = { sessionID: 'ses_main', messageID: 'msg_prompt' };
    const i = { tool: 'write', sessionID: 'ses_child', callID: 'call_1' };
    const args = { filePath: '/home/dev/project/sub.txt' };
    const { lines, dropped } = eventsIn(opencode, [
      { event: 'event session.created', payload: { info: { id: 'ses_child' } }, parent },
      { event: 'chat.message', payload: prompt('ses_child', 'look around'), parent },
      { event: 'tool.execute.before', payload: { i, args }, parent },
      { event: 'tool.execute.after', payload: { i: { ...i, args } }, parent },
      { event: 'event session.idle', payload: { sessionID: 'ses_child' }, parent },
    ]);
    expect(lines).toEqual([
      'sub-agent: before-tool write call_1 of msg_prompt: /home/dev/project/sub.txt',
      'sub-agent: after-tool write call_1 of msg_prompt: /home/dev/project/sub.txt',
      'sub-agent: turn-ended of msg_prompt',
    ]);
    expect(dropped).toEqual([
      'not-needed prompt of a sub-agent',
      'not-needed session of a sub-agent',
    ]);
  });

  it('takes the end of a tool that failed from its part of the answer', () => {
    const part = { type: 'tool', tool: 'edit', callID: 'call_1', sessionID: 'ses_main' };
    const input = { filePath: 'a.txt' };
    const { lines } = eventsIn(opencode, [
      {
        event: 'event message.part.updated',
        payload: { part: { ...part, state: { status: 'error', input } } },
      },
    ]);
    expect(lines).toEqual(['after-tool edit call_1: a.txt']);
  });

  it('reads tools of other programs as commands, which may write anything', () => {
    const i = { sessionID: 'ses_main', callID: 'call_1' };
    const begin = (tool: string) => ({
      event: 'tool.execute.before',
      payload: { i: { ...i, tool }, args: {} },
    });
    const { lines, dropped } = eventsIn(opencode, [
      begin('files_write_file'),
      begin('batch'),
      begin('savepoint_rewind'),
      begin('question'),
    ]);
    expect(lines).toEqual([
      'before-tool files_write_file call_1: $ files_write_file',
      'before-tool batch call_1: $ batch',
    ]);
    expect(dropped).toEqual(['other-tool question', 'other-tool savepoint_rewind']);
  });

  it('looks at the files when /undo has written them', () => {
    const info = { id: 'ses_main', revert: { messageID: 'msg_prompt' } };
    const { lines } = eventsIn(opencode, [{ event: 'event session.updated', payload: { info } }]);
    expect(lines).toEqual(['turn-ended']);
  });

  it('leaves parts that a program added out of a prompt', () => {
    const { lines } = eventsIn(opencode, [
      { event: 'chat.message', payload: prompt('ses_main', 'STEP-1 go') },
    ]);
    expect(lines).toEqual(['message msg_1: STEP-1 go']);
  });
});

function prompt(sessionID: string, text: string): object {
  const parts = [
    { type: 'text', text },
    { type: 'text', text: 'a notice', synthetic: true },
  ];
  return { i: { sessionID }, message: { id: 'msg_1' }, parts };
}
