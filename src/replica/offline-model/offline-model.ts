import {
  type MessagesRequest,
  type MessagesServer,
  type ReplyBlock,
  say,
  startMessagesServer,
  type Turn,
  turnOf,
} from '../../messages-server/index.ts';
import { type Outcome, type Performance, perform } from './perform.ts';
import { plainRequests } from './requests.ts';

/** For the SDK's option `model`, so that every mention of the model says what it is. */
export const OFFLINE_MODEL = 'offline-demonstration';

/**
 * A model for who has no credentials: a server on this machine that speaks the Messages API and follows a
 * few plain requests with the agent's real tools. Its first answer says that it is a demonstration. Names of
 * files are taken from the project, where the agent works.
 */
export async function startOfflineModel(project: string): Promise<MessagesServer> {
  return startMessagesServer({ replyTo: (request) => blocksFor(request, project) });
}

function blocksFor(request: MessagesRequest, project: string): ReplyBlock[] {
  const turn = turnOf(request);
  if (turn === null) return [say(HELP)];
  const next = nextCall(turn, project);
  if (!('outcomes' in next)) return [next];
  return [say(answer(turn, next))];
}

interface Finished {
  readonly outcomes: readonly Outcome[];
  /** How many requests were not tried, because one before them failed. */
  readonly left: number;
}

/**
 * The conversation is all the memory there is: what was asked is begun anew each time, and given the results
 * that are known already, until it comes to a call that has none.
 */
function nextCall({ prompt, history }: Turn, project: string): ReplyBlock | Finished {
  const results = [...history];
  const requests = plainRequests(prompt);
  const outcomes: Outcome[] = [];
  for (const request of requests) {
    const performance: Performance = perform(request, project);
    let step = performance.next();
    while (!step.done) {
      const result = results.shift();
      if (result === undefined) return step.value;
      step = performance.next(result);
    }
    outcomes.push(step.value);
    if (!step.value.done) break;
  }
  return { outcomes, left: requests.length - outcomes.length };
}

/** It explains itself once: in the first answer, and to those who ask. */
function answer({ isFirst }: Turn, { outcomes, left }: Finished): string {
  const asks = outcomes.some(({ kind }) => kind === 'asked-for-help');
  const isLost = outcomes.some(({ kind }) => kind === 'not-understood');
  const parts = outcomes.map(({ text }) => text);
  if (left > 0) parts.push(`What came after it I left undone (${left}).`);
  if (asks) parts.push(HELP);
  else if (isFirst) parts.push(INTRODUCTION);
  else if (isLost) parts.push('Type `help` for what I understand.');
  return parts.join('\n\n');
}

const INTRODUCTION =
  '*I am no AI but a small program on this machine that follows plain requests;* `help` *lists them.*';

const HELP = `I am the **offline demonstration model**: no AI, but a small program on this machine that follows plain requests with the agent’s real tools. I understand:

| request | what I do |
| --- | --- |
| \`write FILE: TEXT\` | write it; \`\\n\` is a new line |
| \`append FILE: TEXT\` | add to the end of it |
| \`replace OLD with NEW in FILE\` | edit it |
| \`read FILE\` | show it |
| \`delete FILE\` | delete it |
| \`run: COMMAND\` | run a command in a shell |
| \`todo: ONE, TWO, THREE\` | keep a list of things to do |

Several requests go on lines of their own, or are joined by *then*. With credentials of your own, a real model answers here.`;
