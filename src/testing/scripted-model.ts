import {
  invalidRequest,
  isFailure,
  type MessagesRequest,
  type MessagesServer,
  type Reply,
  type ReplyTo,
  say,
  startMessagesServer,
  type Turn,
  turnOf,
} from '../messages-server/index.ts';

/** The replies of a turn by its prompt. A reply that calls tools is followed by the next one. */
export type Script = Readonly<Record<string, readonly Step[]>>;

/** A reply, or what makes one of the results that the tools gave. */
export type Step = Reply | ((turn: Turn, request: MessagesRequest) => Reply | Promise<Reply>);

/**
 * Replies as a script says. Which step is due is read from the conversation, so that a prompt can come
 * again, in another session, or after a rewind. A failure is given once, and the client's next try gets
 * what follows it; one that lasts is a function that gives it. After the last step the model says `Done.`;
 * a prompt that nothing fits is refused.
 */
export function scripted(script: Script): ReplyTo {
  const failed = new Map<string, number>();
  return async (request) => {
    const turn = turnOf(request);
    const steps = turn === null ? undefined : stepsFor(script, turn.prompt);
    if (turn === null || steps === undefined) {
      return invalidRequest(`The script has nothing for: ${turn?.prompt}`);
    }
    const key = `${request.messages.length} ${turn.prompt}`;
    const tries = failed.get(key) ?? 0;
    const due = dueStep(steps, turn.step, tries);
    const reply = typeof due === 'function' ? await due(turn, request) : (due ?? [say('Done.')]);
    // The tries begin anew behind a reply: the same prompt may come again.
    failed.set(key, isFailure(reply) ? tries + 1 : 0);
    return reply;
  };
}

/** Among the steps, failures do not move a conversation on. */
function dueStep(steps: readonly Step[], at: number, tries: number): Step | undefined {
  const starts = steps.flatMap((step, index) => (fails(step) ? [] : [index]));
  const first = at === 0 ? 0 : (starts[at - 1] ?? steps.length) + 1;
  return steps[Math.min(first + tries, starts[at] ?? Number.POSITIVE_INFINITY)];
}

function fails(step: Step): boolean {
  return typeof step !== 'function' && isFailure(step);
}

/** Context may stand before what a person wrote, in the same text. */
function stepsFor(script: Script, prompt: string): readonly Step[] | undefined {
  if (Object.hasOwn(script, prompt)) return script[prompt];
  return Object.entries(script).find(([key]) => prompt.endsWith(`\n${key}`))?.[1];
}

/** A model that says what a script has it say. */
export interface ScriptedModel extends MessagesServer {
  /** Every request for a message, in the order in which they came, those without tools as well. */
  readonly requests: readonly MessagesRequest[];
}

/**
 * Starts a model on 127.0.0.1 that an agent reaches by `ANTHROPIC_BASE_URL`. A script gives the replies to
 * each prompt; a function decides from the whole request.
 */
export async function startScriptedModel(script: Script | ReplyTo): Promise<ScriptedModel> {
  const requests: MessagesRequest[] = [];
  const server = await startMessagesServer({
    replyTo: typeof script === 'function' ? script : scripted(script),
    onRequest: (request) => requests.push(request),
  });
  return { ...server, requests };
}
