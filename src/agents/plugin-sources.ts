import type { AgentName } from './agent-adapter.ts';
import { READ_ONLY } from './plugin-events.ts';

const MADE_BY =
  '// Records what the agent does for savepoint. Made by `savepoint init`; `savepoint uninstall` removes it.';

/** The beginning of each plug-in: `hand` gives an event to a process of `savepoint hook`, and throws nothing. */
function handSource(agent: AgentName, program: string, readOnly: readonly string[]): string {
  return `import { spawn } from 'node:child_process';

const COMMAND = ${JSON.stringify(`${program} hook ${agent}`)};
const LONGEST_MS = 30_000;
// These write nothing, so nobody waits for a process.
const READ_ONLY = new Set(${JSON.stringify(readOnly)});

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
`;
}

/**
 * The plug-in for opencode and for agents with its API. It runs on Bun, which has no `node:sqlite`: each event goes
 * to a process of `savepoint hook`. It throws nothing, because an error before a tool would refuse the tool.
 */
export function pluginSource(agent: 'opencode' | 'kilo', program: string): string {
  return `${MADE_BY}
${handSource(agent, program, READ_ONLY)}
export const Savepoint = async ({ directory }) => {
  const parents = new Map();
  const prompts = new Map();
  const failed = new Set();

  const tell = async (event, payload, sessionID) => {
    try {
      const parent = parents.get(sessionID) ?? null;
      return await hand(JSON.stringify({ event, payload, cwd: directory, parent }), directory);
    } catch {
      return '';
    }
  };

  // A sub-agent is a session of its own. It works for the prompt of the session that it descends from.
  const remember = ({ id, parentID }) => {
    if (!parentID) return;
    const direct = { sessionID: parentID, messageID: prompts.get(parentID) ?? null };
    parents.set(id, parents.get(parentID) ?? direct);
  };

  // A tool that fails has no other end.
  const isFailure = (part) => {
    if (part?.type !== 'tool' || part.state?.status !== 'error' || failed.has(part.callID)) return false;
    failed.add(part.callID);
    return !READ_ONLY.has(part.tool);
  };

  const isWanted = (type, { info, part }) =>
    /^session\\.(created|deleted|idle|error)$/.test(type) ||
    (type === 'session.updated' && Boolean(info?.revert)) ||
    (type === 'message.part.updated' && isFailure(part));

  return {
    'chat.message': async (input, output) => {
      try {
        const { message, parts } = output;
        prompts.set(input.sessionID, message.id);
        const told = await tell('chat.message', { i: input, message, parts }, input.sessionID);
        const context = told.trim() === '' ? null : JSON.parse(told).context;
        if (typeof context !== 'string') return;
        const id = 'prt_savepoint' + Date.now().toString(36);
        const ids = { id, sessionID: input.sessionID, messageID: message.id };
        parts.push({ ...ids, type: 'text', text: context, synthetic: true });
      } catch {
        // The prompt goes on as it is.
      }
    },
    'tool.execute.before': async (input, output) => {
      if (READ_ONLY.has(input.tool)) return;
      await tell('tool.execute.before', { i: input, args: output?.args }, input.sessionID);
    },
    'tool.execute.after': async (input) => {
      if (READ_ONLY.has(input.tool)) return;
      await tell('tool.execute.after', { i: input }, input.sessionID);
    },
    event: async ({ event }) => {
      try {
        const { type, properties = {} } = event;
        const { info, part } = properties;
        if (type === 'session.created' && info) remember(info);
        if (!isWanted(type, properties)) return;
        await tell('event ' + type, properties, properties.sessionID ?? part?.sessionID ?? info?.id);
      } catch {
        // An event in another form.
      }
    },
  };
};
`;
}

/** The extension for pi. It throws nothing: an error in it must not stop the agent. */
export function extensionSource(program: string): string {
  return `${MADE_BY}
import { randomUUID } from 'node:crypto';
${handSource('pi', program, ['read', 'grep', 'find', 'ls'])}
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
