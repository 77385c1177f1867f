import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { accepts, ID, type Kind, listOf, object, unchecked } from '../../model/check.ts';
import { type ForkConversation, notForked, startAgent } from '../fork-conversation.ts';

const TURNS = object({ thread: object({ turns: listOf(object({ id: ID })) }) });
const THREAD = object({ thread: object({ id: ID }) });

/** Codex forks a thread behind one of its turns, for the programs that it serves. */
export const forkCodex: ForkConversation = async ({ conversation, project, env }) => {
  const { id: threadId, turnId } = conversation;
  if (threadId === null || turnId === null) throw notForked('its prompt has no id');
  const server = startAgent({
    program: 'codex',
    args: ['app-server'],
    project,
    env,
    variables: ['CODEX_', 'OPENAI_'],
  });
  try {
    const ask = connect(server);
    await ask('initialize', { clientInfo: { name: 'savepoint', version: '0' } }, unchecked());
    const { thread } = await ask('thread/read', { threadId, includeTurns: true }, TURNS);
    const at = thread.turns.findIndex(({ id }) => id === turnId);
    if (at === -1) throw notForked('Codex no longer has the prompt');
    const lastTurnId = thread.turns[at - 1]?.id;
    if (lastTurnId === undefined) return { id: null, command: ['codex'], folder: project };
    const { id } = (await ask('thread/fork', { threadId, lastTurnId }, THREAD)).thread;
    return { id, command: ['codex', 'resume', id], folder: project };
  } finally {
    server.kill('SIGKILL');
  }
};

type Ask = <T>(method: string, params: object, kind: Kind<T>) => Promise<T>;

/** Requests and answers are lines of JSON with the same number; the server says other things in between. */
function connect(server: ChildProcess): Ask {
  if (server.stdout === null) throw new Error('the output of the server is not read');
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let requests = 0;
  return async (method, params, kind) => {
    requests += 1;
    server.stdin?.write(`${JSON.stringify({ id: requests, method, params })}\n`);
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done === true) throw notForked('Codex ended');
      const answer = JSON.parse(line) as { id?: unknown; result?: unknown };
      if (answer.id !== requests) continue;
      if (!accepts(kind, answer.result)) throw notForked(`Codex refused ${method}`, line);
      return answer.result;
    }
  };
}
