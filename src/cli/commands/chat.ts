import { resolve } from 'node:path';
import {
  anyOf,
  BOOLEAN,
  COUNT,
  described,
  exact,
  type Kind,
  listOf,
  nullable,
  oneOf,
  TEXT,
  unchecked,
} from '../../model/check.ts';
import type {
  PrintedConfig,
  PrintedSessions,
  PrintedTurn,
  ReplicaRequest,
} from '../../replica/index.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, flag, option } from '../command.ts';
import { TIME } from '../json-shapes.ts';

const TURN: Kind<PrintedTurn> = exact({
  version: oneOf(1),
  sessionId: TEXT,
  result: described('The answer, or in one line why there is none.', TEXT),
  isError: BOOLEAN,
  durationMs: COUNT,
  checkpointId: described(
    "The prompt's id, which a rewind to before it takes; null where checkpoints are turned off.",
    nullable(TEXT),
  ),
  files: described(
    'Paths that are not as they were before the prompt; null where nobody keeps count.',
    nullable(listOf(TEXT)),
  ),
});

const CONFIG: Kind<PrintedConfig> = exact({
  version: oneOf(1),
  settings: listOf(
    exact({
      key: TEXT,
      value: unchecked<unknown>(),
      origin: oneOf('default', 'user', 'project', 'environment'),
      source: nullable(TEXT),
      variable: nullable(TEXT),
      summary: TEXT,
    }),
  ),
  warnings: listOf(TEXT),
});

const SESSIONS: Kind<PrintedSessions> = exact({
  version: oneOf(1),
  sessions: listOf(
    exact({
      id: TEXT,
      name: nullable(TEXT),
      project: TEXT,
      parentId: nullable(TEXT),
      createdAt: TIME,
      updatedAt: TIME,
      prompts: COUNT,
    }),
  ),
  problems: listOf(TEXT),
});

export const chat: Command = {
  name: 'chat',
  arguments: '[PROMPT | config | sessions]',
  summary: 'talk to an agent whose every prompt can be taken back (claude-replica)',
  details:
    'The interactive agent on the Claude Agent SDK, also known as `claude-replica`. Press Esc twice to\n' +
    'rewind files, the conversation or both to any of your prompts; /help lists its commands. Without an\n' +
    'account it offers a demonstration model that needs no network. `config` shows each setting and where\n' +
    'it comes from, `sessions` the conversations of this project.',
  options: {
    print: { ...flag('one turn without a terminal: answer, and end'), short: 'p' },
    resume: { ...option('ID', 'take up a conversation, by id or name'), short: 'r' },
    continue: { ...flag('take up the newest conversation of the project'), short: 'c' },
    model: option('NAME', 'the model to ask for'),
    'permission-mode': option('MODE', 'default, acceptEdits, plan or bypassPermissions', [
      'default',
      'acceptEdits',
      'plan',
      'bypassPermissions',
    ]),
    offline: flag('the demonstration model: no account, no network'),
    demo: flag('in a scratch project that is removed afterwards'),
  },
  examples: [
    ['claude-replica', 'the same, by its own name'],
    ['savepoint chat --demo --offline', 'try it without an account'],
    ['savepoint chat --print "explain main.ts"', 'one answer, for a script'],
  ],
  json: { chat: anyOf(TURN, CONFIG, SESSIONS) },
  run: async (call) => {
    const { runReplica } = await import('../../replica/index.ts');
    const { stdin, stdout } = process;
    return runReplica(requestOf(call), { ...call.io, stdin, stdout });
  },
};

function requestOf(call: Call): ReplicaRequest {
  const { flags, values, args, rest } = call;
  const isPrint = flags.has('print');
  const [word, ...others] = args;
  const verb = !isPrint && (word === 'config' || word === 'sessions') ? word : null;
  if (verb !== null && others.length > 0) throw new UsageError(`${verb} takes no arguments`);
  if (values.has('resume') && flags.has('continue')) {
    throw new UsageError('--resume and --continue exclude each other');
  }
  const prompt = [...args, ...rest].join(' ');
  if (isPrint && prompt === '') throw new UsageError('what is the prompt?', SEE_HELP);
  return {
    verb: verb ?? (isPrint ? 'print' : 'chat'),
    prompt: verb !== null || prompt === '' ? null : prompt,
    json: call.json,
    resume: values.get('resume') ?? (flags.has('continue') ? 'latest' : null),
    model: values.get('model') ?? null,
    permissionMode: values.get('permission-mode') ?? null,
    project: resolve(call.io.cwd, values.get('project') ?? '.'),
    offline: flags.has('offline'),
    demo: flags.has('demo'),
    noColor: flags.has('no-color'),
  };
}

const SEE_HELP = 'see: savepoint chat --help';
