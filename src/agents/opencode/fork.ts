import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { accepts, ID, object, TEXT } from '../../model/check.ts';
import {
  type ForkConversation,
  folderOf,
  LIMIT_MS,
  notForked,
  startAgent,
} from '../fork-conversation.ts';

const SESSION = object({ id: ID, directory: TEXT });

/** opencode forks a session before one of its messages, for the programs that it serves. */
export const forkOpencode: ForkConversation = async ({ conversation, project, env }) => {
  const { id: sessionId, promptId: messageID } = conversation;
  if (sessionId === null || messageID === null) throw notForked('its prompt has no id');
  const password = randomUUID();
  const server = startAgent({
    program: 'opencode',
    // Without plug-ins: those of the project are programs in it, and ours would record this as work.
    args: ['serve', '--hostname', '127.0.0.1', '--port', '0', '--pure'],
    project,
    env,
    variables: ['OPENCODE_'],
    set: {
      // The project's settings can name programs to start.
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      // So that no other program of this machine can use the server meanwhile.
      OPENCODE_SERVER_PASSWORD: password,
      OPENCODE_SERVER_USERNAME: 'opencode',
    },
  });
  try {
    const url = await addressOf(server);
    const response = await fetch(`${url}/session/${encodeURIComponent(sessionId)}/fork`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`,
      },
      body: JSON.stringify({ messageID }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const session: unknown = response.ok ? await response.json() : null;
    if (!accepts(SESSION, session)) throw notForked(`opencode answered with ${response.status}`);
    const { id, directory } = session;
    return { id, command: ['opencode', '--session', id], folder: folderOf(directory, project) };
  } finally {
    server.kill('SIGKILL');
  }
};

/** The server prints where it listens. */
async function addressOf(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('the output of the server is not read');
  for await (const line of createInterface({ input: server.stdout })) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw notForked('opencode did not start');
}
