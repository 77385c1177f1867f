/**
 * The plug-in for opencode and for agents with its API. It runs on Bun, which has no `node:sqlite`: each event goes
 * to a process of `savepoint hook`. It throws nothing, because an error before a tool would refuse the tool.
 */
export function pluginSource(agent: 'opencode' | 'kilo', program: string): string {
  return `// Records what the agent does for savepoint. Made by \`savepoint init\`; \`savepoint uninstall\` removes it.
import { spawn } from 'node:child_process';

const COMMAND = ${JSON.stringify(`${program} hook ${agent}`)};
const LONGEST_MS = 30_000;

export const Savepoint = async ({ directory }) => {
  const parents = new Map();
  const prompts = new Map();

  const tell = (event, payload, sessionID) =>
    new Promise((resolve) => {
      try {
        const child = spawn(COMMAND, { shell: true, cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] });
        let out = '';
        const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
        const end = () => {
          clearTimeout(timer);
          resolve(out);
        };
        child.stdout.on('data', (data) => (out += data));
        child.stdin.on('error', () => undefined);
        child.on('error', end);
        child.on('close', end);
        const parent = parents.get(sessionID) ?? null;
        child.stdin.end(JSON.stringify({ event, payload, cwd: directory, parent }));
      } catch {
        resolve('');
      }
    });

  return {
    'chat.message': async (input, output) => {
      try {
        const { message, parts } = output;
        const told = await tell('chat.message', { i: input, message, parts }, input.sessionID);
        prompts.set(input.sessionID, message.id);
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
      await tell('tool.execute.before', { i: input, args: output.args }, input.sessionID);
    },
    'tool.execute.after': async (input) => {
      await tell('tool.execute.after', { i: input }, input.sessionID);
    },
    event: async ({ event }) => {
      const { type, properties = {} } = event ?? {};
      const { info } = properties;
      if (type === 'session.created' && info?.parentID) {
        parents.set(info.id, { sessionID: info.parentID, messageID: prompts.get(info.parentID) ?? null });
      }
      const status = properties.part?.state?.status;
      const isToolEnd = properties.part?.type === 'tool' && (status === 'completed' || status === 'error');
      const isReverted = type === 'session.updated' && Boolean(info?.revert);
      const isWanted = /^session\\.(created|deleted|idle|error)$/.test(type) || isReverted;
      if (!isWanted && !(type === 'message.part.updated' && isToolEnd)) return;
      const sessionID = properties.sessionID ?? properties.part?.sessionID ?? info?.id;
      await tell('event ' + type, properties, sessionID);
    },
  };
};
`;
}
