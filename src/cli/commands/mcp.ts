import { hostname } from 'node:os';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { processesAbove } from '../../agents/agent-owner.ts';
import { accountFile, findProject } from '../../config/find-project.ts';
import { loadConfiguration } from '../../config/settings.ts';
import { realPathOrNull } from '../../fs/entries.ts';
import type { Savepoint } from '../../index.ts';
import { type Call, type Command, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { mcpServer } from '../mcp/server.ts';
import { withTimeline } from '../open-timeline.ts';
import { ownVersion } from '../package-place.ts';

export const mcp: Command = {
  name: 'mcp',
  summary: 'a server by which an agent looks at its own history, over standard input and output',
  details:
    'Speaks the Model Context Protocol with the agent that started it: list_checkpoints, show_checkpoint,\n' +
    'diff, why, plan_rewind and rewind, and some as resources. An agent can take back its own session only,\n' +
    'never what is not certain, and only a plan that was shown. Each rewind asks you through the program of\n' +
    'the agent. Where that cannot ask, the agent can only plan, unless your own configuration says\n' +
    '`savepoint config mcpRewind true`. Files that git ignores are in no answer unless the agent names them.',
  options: {
    session: option(
      'ID',
      'the session of the agent that asks; by default found by its process',
      'session',
    ),
  },
  examples: [
    ['claude mcp add savepoint -- savepoint mcp', 'for Claude Code'],
    ['codex mcp add savepoint -- savepoint mcp', 'for Codex'],
  ],
  run: runServer,
};

async function runServer(call: Call): Promise<ExitCode> {
  // Standard output belongs to the protocol.
  const silent: Call = { ...call, json: true };
  const project = findProject(call);
  const server = mcpServer({
    version: ownVersion(),
    withTimeline: (work) => withTimeline(silent, work),
    askingSession: (savepoint) => askingSession(savepoint, call.values.get('session')),
    mayRewind: () => mayRewind(project),
  });
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
  return EXIT.done;
}

/**
 * The session of the agent that started this server: the one named, or else that of the nearest process above this
 * one that is an agent. Null where nobody can tell, also because that process has several sessions.
 */
async function askingSession(
  savepoint: Savepoint,
  named: string | undefined,
): Promise<string | null> {
  if (named !== undefined) return (await savepoint.resolveSession(named)).id;
  const sessions = await savepoint.sessions();
  for (const { id, started } of processesAbove(process.ppid, Number.POSITIVE_INFINITY)) {
    const [first, ...others] = sessions.filter(
      ({ owner }) =>
        owner?.kind === 'process' &&
        owner.host === hostname() &&
        owner.processId === id &&
        owner.started === started,
    );
    if (first !== undefined) return others.length === 0 ? first.id : null;
  }
  return null;
}

/**
 * Whether the person's own file allows rewinds without a question. A file in the project is nobody's own. Variables do
 * not count: a project can choose those of the servers that an agent starts in it.
 */
export function mayRewind(project: string, ownFile: string | null = accountFile()): boolean {
  const file = ownFile === null ? null : realPathOrNull(ownFile);
  const folder = realPathOrNull(project) ?? project;
  if (file === null || file.startsWith(`${folder}/`)) return false;
  return loadConfiguration({ project, userFile: file, environment: {} }).values.mcpRewind;
}
