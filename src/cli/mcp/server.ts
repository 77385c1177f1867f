import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isSavepointError, SavepointError } from '../../index.ts';
import { messageOf } from '../../terminal/phrases.ts';
import { jsonText } from '../json.ts';
import { type Consent, type Desk, TOOLS } from './tools.ts';

export interface ServerOptions extends Pick<Desk, 'withTimeline' | 'askingSession'> {
  readonly version: string;
  /** The person's own configuration allows rewinds without asking each time. */
  readonly mayRewind: () => boolean;
}

/** How long a person may take to answer. */
const PATIENCE_MS = 10 * 60_000;

const INSTRUCTIONS =
  'Savepoint keeps a timeline of what agents do to the files of this project. Use list_checkpoints and diff to see what was changed since a prompt, and why to see which prompt wrote a line. To take back your own work, call plan_rewind, tell the person what it would do, and call rewind: the person is asked. Files that went back must be read again.';

/** The tools and resources of one project, for an agent that speaks the Model Context Protocol. */
export function mcpServer({ version, mayRewind, ...rest }: ServerOptions): Server {
  const server = new Server(
    { name: 'savepoint', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const desk: Desk = {
    ...rest,
    consent: async (question) => (mayRewind() ? 'yes' : ask(server, question)),
    plans: new Map(),
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, title, description, inputSchema, isReadOnly }) => ({
      name,
      title,
      description,
      inputSchema: inputSchema as { type: 'object' },
      annotations: { readOnlyHint: isReadOnly, destructiveHint: !isReadOnly, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) =>
    callTool(desk, params.name, params.arguments ?? {}),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ ...TIMELINE, mimeType: JSON_TYPE }],
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: TEMPLATES.map((template) => ({ ...template, mimeType: JSON_TYPE })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: JSON_TYPE, text: jsonText(await readResource(desk, uri)) }],
  }));
  return server;
}

const JSON_TYPE = 'application/json';
const TIMELINE = { uri: 'savepoint://checkpoints', name: 'The checkpoints of this project' };
const TEMPLATES = [
  { uriTemplate: 'savepoint://checkpoints/{id}', name: 'A checkpoint' },
  { uriTemplate: 'savepoint://checkpoints/{id}/diff', name: 'What is different since then' },
];

async function callTool(desk: Desk, name: string, input: object): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: jsonText(await runTool(desk, name, input)) }] };
  } catch (error) {
    const hint = isSavepointError(error) && error.hint !== undefined ? `\nhint: ${error.hint}` : '';
    return { isError: true, content: [{ type: 'text', text: `${messageOf(error)}${hint}` }] };
  }
}

function runTool(desk: Desk, name: string, input: unknown): Promise<object> {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) {
    const names = TOOLS.map((one) => one.name).join(', ');
    throw new SavepointError('argument-invalid', `there is no such tool; there are ${names}`);
  }
  return tool.run(input, desk);
}

function readResource(desk: Desk, uri: string): Promise<object> {
  if (uri === TIMELINE.uri) return runTool(desk, 'list_checkpoints', {});
  const [, id, isDiff] = /^savepoint:\/\/checkpoints\/([^/]+)(\/diff)?$/.exec(uri) ?? [];
  if (id === undefined) throw new SavepointError('argument-invalid', 'no such resource');
  const ref = decodeURIComponent(id);
  return isDiff === undefined
    ? runTool(desk, 'show_checkpoint', { id: ref })
    : runTool(desk, 'diff', { from: ref });
}

/** Asks the person through the agent's program, where that can. */
async function ask(server: Server, message: string): Promise<Consent> {
  if (server.getClientCapabilities()?.elicitation === undefined) return 'cannot-ask';
  const { action, content } = await server.elicitInput(
    {
      message,
      requestedSchema: {
        type: 'object',
        properties: { rewind: { type: 'boolean', title: 'Take it back', default: false } },
        required: ['rewind'],
      },
    },
    { timeout: PATIENCE_MS },
  );
  return action === 'accept' && content?.rewind === true ? 'yes' : 'no';
}
