/** The extension for pi. It throws nothing: an error in it must not stop the agent. */
export function extensionSource(program: string): string {
  return `// Records what the agent does for savepoint. Made by \`savepoint init\`; \`savepoint uninstall\` removes it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

const COMMAND = ${JSON.stringify(`${program} hook pi`)};
const LONGEST_MS = 30_000;
// These write nothing, so nobody waits for a process.
const READ_ONLY = new Set(['read', 'grep', 'find', 'ls']);

export default function savepoint(pi) {
  let notice = null;
  let last = Promise.resolve('');

  // The agent does not wait at the end of a tool, and the end of the session must not be told before that.
  const tell = (event, payload, context, more = {}) => {
    try {
      const { cwd, sessionManager } = context;
      const session = { id: sessionManager.getSessionId(), file: sessionManager.getSessionFile() ?? null };
      const text = JSON.stringify({ event, payload, cwd, session, ...more });
      last = last.then(() => hand(text, cwd));
      return last;
    } catch {
      return Promise.resolve('');
    }
  };

  const hand = (text, cwd) =>
    new Promise((resolve) => {
      try {
        const child = spawn(COMMAND, { shell: true, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
        let out = '';
        const end = () => {
          clearTimeout(timer);
          resolve(out);
        };
        const timer = setTimeout(() => {
          child.kill('SIGKILL');
          // A process of the child may live on and keep the pipe open.
          child.stdout.destroy();
          end();
        }, LONGEST_MS);
        child.stdout.on('data', (data) => (out += data));
        child.stdin.on('error', () => undefined);
        child.on('error', end);
        child.on('close', end);
        child.stdin.end(text);
      } catch {
        resolve('');
      }
    });

  for (const event of ['session_start', 'session_shutdown', 'tool_call', 'tool_execution_end', 'agent_end']) {
    pi.on(event, async (payload, context) => {
      if (!READ_ONLY.has(payload?.toolName)) await tell(event, payload, context);
    });
  }
  pi.on('input', async (payload, context) => {
    const told = await tell('input', payload, context, { messageId: randomUUID() });
    try {
      notice = told.trim() === '' ? null : (JSON.parse(told).context ?? null);
    } catch {
      notice = null;
    }
  });
  pi.on('before_agent_start', async () => {
    if (notice === null) return undefined;
    const content = notice;
    notice = null;
    return { message: { customType: 'savepoint', content, display: true } };
  });
}
`;
}
