import type { McpServerConfig, McpServerStatus, Query } from '@anthropic-ai/claude-agent-sdk';
import { displayText } from '../../index.ts';
import { checkServer } from './server-config.ts';

/** Servers by name, as configuration files have them: nothing about them is known yet. */
export interface MCPConfiguration {
  readonly user: Readonly<Record<string, unknown>>;
  readonly project?: Readonly<Record<string, unknown>>;
}

/** A server for `/status`. Every text is safe to show. */
export interface MCPServerState {
  readonly name: string;
  readonly kind: 'stdio' | 'http' | 'sse';
  /** `waiting` before the first prompt: nothing runs until then. */
  readonly state: McpServerStatus['status'] | 'waiting';
  readonly tools: number;
  /** What the server calls itself, or why it failed; null where neither is known. */
  readonly detail: string | null;
}

type Origin = 'user' | 'project';

/** The MCP servers of the agent: which there are, which were refused, and how they are. */
export class MCPService {
  readonly #servers = new Map<string, McpServerConfig>();
  readonly #notices: string[] = [];

  constructor({ user, project = {} }: MCPConfiguration) {
    for (const [name, value] of Object.entries(user)) this.#take(name, value, 'user');
    for (const [name, value] of Object.entries(project)) this.#take(name, value, 'project');
  }

  /** As the SDK takes them. */
  servers(): Record<string, McpServerConfig> {
    return Object.fromEntries(this.#servers);
  }

  /** What was refused, and why; a line each. */
  notices(): readonly string[] {
    return [...this.#notices];
  }

  /** What the SDK says of them; `waiting` where no query runs that it could be asked through. */
  async states(query: Pick<Query, 'mcpServerStatus'> | null): Promise<MCPServerState[]> {
    const told = new Map((await statusOf(query)).map((status) => [status.name, status]));
    return [...this.#servers].map(([name, config]) => stateOf(name, config, told.get(name)));
  }

  #take(name: string, value: unknown, origin: Origin): void {
    const checked = checkServer(name, value);
    if ('problem' in checked) this.#refuse(name, checked.problem);
    // A project may come from anybody: a program that it names would run unasked.
    else if (origin === 'project' && checked.config.type === 'stdio') this.#refuse(name, PROGRAM);
    else if (this.#servers.has(name)) this.#refuse(name, TAKEN);
    else this.#servers.set(name, checked.config);
  }

  #refuse(name: string, reason: string): void {
    this.#notices.push(displayText(`The MCP server "${name}" is left out: ${reason}.`));
  }
}

const PROGRAM =
  'a project may not name programs to run; put it into your own ~/.claude-replica/settings.json';
const TAKEN = 'your own settings have a server of this name';

/** A query that has just ended cannot be asked, and that is no failure of the servers. */
async function statusOf(query: Pick<Query, 'mcpServerStatus'> | null): Promise<McpServerStatus[]> {
  try {
    return (await query?.mcpServerStatus()) ?? [];
  } catch {
    return [];
  }
}

function stateOf(
  name: string,
  { type = 'stdio' }: McpServerConfig,
  status: McpServerStatus | undefined,
): MCPServerState {
  const { serverInfo, error, tools = [] } = status ?? {};
  const called = serverInfo === undefined ? null : `${serverInfo.name} ${serverInfo.version}`;
  const detail = error ?? called;
  return {
    name,
    kind: type === 'sdk' ? 'stdio' : type,
    state: status?.status ?? 'waiting',
    tools: tools.length,
    detail: detail === null ? null : displayText(detail),
  };
}
