import { AGENT_NAMES } from '../../agents/agent-adapter.ts';
import { type Command, option } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

export const hook: Command = {
  name: 'hook',
  arguments: 'AGENT',
  summary: 'record one event of an agent; agents run it, not people',
  details:
    'Reads the JSON of one event from standard input, puts it on record, and prints what the agent expects:\n' +
    'nothing, or a notice for the model about files that went back. Always exits with 0, so that no agent\n' +
    'stops because of it; what could not be recorded is in hook.log, beside the stores. The command line\n' +
    'that an agent runs stays the same in all versions.',
  options: {
    event: option('NAME', 'the name of the event, for agents whose JSON does not say it'),
  },
  examples: [['savepoint hook claude-code < event.json', 'as an agent runs it']],
  completes: [AGENT_NAMES],
  run: async ({ args, values }) => {
    const { runHookProcess } = await import('../../agents/hook-main.ts');
    const event = values.get('event');
    await runHookProcess(event === undefined ? args : [...args, '--event', event]);
    return EXIT.done;
  },
};
