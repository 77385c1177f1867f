import { join } from 'node:path';
import type { Act, ToolFor } from '../model/script.ts';
import { installed, type PromptedAgent, putFile } from './real-agent.ts';

// Agents for the short story, outside of CI. They are installed in test/agents/more.

const QWEN: PromptedAgent = {
  name: 'qwen',
  program: 'qwen',
  file: installed('../more/node_modules/@qwen-code/qwen-code/cli-entry.js'),
  protocol: 'chat-completions',
  toolFor: (project) => (act) =>
    toolOf(act, {
      write: ({ path, content }) => ({
        name: 'write_file',
        input: { file_path: join(project, path), content },
      }),
      run: ({ command }) => ({
        name: 'run_shell_command',
        input: { command, is_background: false },
      }),
    }),
  env: (modelUrl) => ({
    OPENAI_API_KEY: 'dummy',
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_MODEL: 'story',
  }),
  settle: ({ home }) => {
    putFile(join(home, '.qwen', 'settings.json'), {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
    });
  },
  once: (prompt, sessionId) => [
    ...['-p', prompt, '--yolo', '--output-format', 'json'],
    ...(sessionId === null ? [] : ['--resume', sessionId]),
  ],
  sessionIn: (output) => /"session_id":\s*"([^"]+)"/.exec(output)?.[1],
};

const PI: PromptedAgent = {
  name: 'pi',
  program: 'pi',
  file: installed('../more/node_modules/@mariozechner/pi-coding-agent/dist/cli.js'),
  protocol: 'chat-completions',
  toolFor: () => (act) =>
    toolOf(act, {
      write: ({ path, content }) => ({ name: 'write', input: { path, content } }),
      run: ({ command }) => ({ name: 'bash', input: { command } }),
    }),
  env: () => ({ PI_OFFLINE: '1' }),
  settle: ({ home }, modelUrl) => {
    putFile(join(home, '.pi', 'agent', 'models.json'), {
      providers: {
        local: {
          baseUrl: `${modelUrl}/v1`,
          api: 'openai-completions',
          apiKey: 'dummy',
          models: [{ id: 'story' }],
        },
      },
    });
  },
  once: (prompt, sessionId) => [
    ...['-p', prompt, '--provider', 'local', '--model', 'story', '--mode', 'json'],
    ...(sessionId === null ? [] : ['--session', sessionId]),
  ],
  sessionIn: (output) => /"type":"session"[^\n]*?"id":"([^"]+)"/.exec(output)?.[1],
};

const COPILOT: PromptedAgent = {
  name: 'copilot',
  program: 'copilot',
  file: installed('../more/node_modules/@github/copilot/npm-loader.js'),
  protocol: 'chat-completions',
  toolFor: (project) => (act) =>
    toolOf(act, {
      write: ({ path, content }) => ({
        name: 'create',
        input: { path: join(project, path), file_text: content },
      }),
      run: ({ command }) => ({ name: 'bash', input: { command, description: 'a command' } }),
    }),
  env: (modelUrl) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'story',
  }),
  settle: () => {},
  once: (prompt, sessionId) => [
    ...['-p', prompt, '--allow-all-tools', '--allow-all-paths', '--output-format', 'json'],
    ...(sessionId === null ? [] : ['--continue']),
  ],
  sessionIn: (output) => /"sessionId":"([^"]+)"/.exec(output)?.[1],
};

type Write = Extract<Act, { act: 'write' }>;
type Run = Extract<Act, { act: 'run' }>;
type Tool = ReturnType<ToolFor>;

/** The short story only writes files and runs commands. */
function toolOf(act: Act, tools: { write(act: Write): Tool; run(act: Run): Tool }): Tool {
  if (act.act === 'write') return tools.write(act);
  if (act.act === 'run') return tools.run(act);
  throw new Error(`the short story has no ${act.act}`);
}

const wanted = process.env.SAVEPOINT_TEST_MORE_AGENTS?.split(',') ?? [];

/** Those that `SAVEPOINT_TEST_MORE_AGENTS` names. */
export const MORE_AGENTS: readonly PromptedAgent[] = [QWEN, PI, COPILOT].filter(({ name }) =>
  wanted.includes(name),
);
