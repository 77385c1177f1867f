import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Act, ToolFor } from '../model/script.ts';
import { installed, type PromptedAgent, putFile, type TypedAgent } from './real-agent.ts';

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

// The packages of the next three agents only find the program, which is in a package of the platform.
const PLATFORM = `${process.platform}-${process.arch}`;

const KILO: PromptedAgent = {
  name: 'kilo',
  program: 'kilo',
  file: installed(`../more/node_modules/@kilocode/cli-${PLATFORM}/bin/kilo`),
  protocol: 'chat-completions',
  toolFor: (project) => (act) =>
    toolOf(act, {
      write: ({ path, content }) => ({
        name: 'write',
        input: { filePath: join(project, path), content },
      }),
      run: ({ command }) => ({ name: 'bash', input: { command, description: 'a command' } }),
    }),
  env: (modelUrl) => ({
    KILO_DISABLE_AUTOUPDATE: '1',
    KILO_DISABLE_MODELS_FETCH: '1',
    KILO_TELEMETRY_LEVEL: 'off',
    // It asks its own service for models and an account, too. This one has neither.
    KILO_API_URL: modelUrl,
  }),
  settle: ({ home }, modelUrl) => {
    const config = join(home, '.config', 'kilo');
    // As opencode, it installs a package from npm into each of its folders, unless these say that it is there.
    const dependencies = { '@kilocode/plugin': '7.7.9' };
    putFile(join(config, 'package-lock.json'), { packages: { '': { dependencies } } });
    mkdirSync(join(config, 'node_modules'));
    putFile(join(config, 'kilo.json'), {
      autoupdate: false,
      share: 'disabled',
      model: 'local/story',
      permission: { edit: 'allow', bash: 'allow' },
      provider: {
        local: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${modelUrl}/v1`, apiKey: 'dummy' },
          models: { story: { name: 'Story' } },
        },
      },
    });
  },
  once: (prompt, sessionId) => [
    ...['run', '--auto', '--format', 'json'],
    ...(sessionId === null ? [] : ['--session', sessionId]),
    prompt,
  ],
  sessionIn: (output) => /"sessionID":"([^"]+)"/.exec(output)?.[1],
};

/** Without a terminal each prompt is a session of its own: `--id` opens the terminal's screen. */
const CLINE: TypedAgent = {
  name: 'cline',
  program: 'cline',
  file: installed(`../more/node_modules/@cline/cli-${PLATFORM}/bin/cline`),
  protocol: 'chat-completions',
  thinkMs: 2_000,
  toolFor: (project) => (act) =>
    toolOf(act, {
      write: ({ path, content }) => ({
        name: 'editor',
        input: { path: join(project, path), new_text: content },
      }),
      run: ({ command }) => ({ name: 'run_commands', input: { commands: [command] } }),
    }),
  env: () => ({ CLINE_DISABLE_CLINE_PASS_NOTICE: '1', CLINE_NO_AUTO_UPDATE: '1' }),
  settle: ({ home }, modelUrl) => {
    const settings = join(home, '.cline', 'data', 'settings');
    putFile(join(settings, 'global-settings.json'), {
      telemetryOptOut: true,
      autoUpdateEnabled: false,
    });
    const provider = 'openai-compatible';
    const model = { provider, apiKey: 'dummy', model: 'story', baseUrl: `${modelUrl}/v1` };
    const updatedAt = new Date().toISOString();
    putFile(join(settings, 'providers.json'), {
      version: 1,
      lastUsedProvider: provider,
      providers: { [provider]: { settings: model, updatedAt, tokenSource: 'manual' } },
    });
  },
  interactive: { args: ['-i'], ready: 'Auto-approve all enabled' },
};

/** `droid exec` sends no prompts, and asks its service, with an account, for a session that is to go on. */
const DROID: TypedAgent = {
  name: 'droid',
  program: 'droid',
  file: installed(`../more/node_modules/@factory/cli-${PLATFORM}/bin/droid`),
  protocol: 'chat-completions',
  toolFor: (project) => (act) =>
    toolOf(act, {
      write: ({ path, content }) => ({
        name: 'Create',
        input: { file_path: join(project, path), content },
      }),
      run: ({ command }) => ({
        name: 'Execute',
        input: {
          command,
          summary: 'a command',
          riskLevel: 'low',
          riskLevelReason: 'a story',
          timeout: 10,
        },
      }),
    }),
  // It then needs no account, and asks the model alone.
  env: () => ({ FACTORY_AIRGAP_ENABLED: '1' }),
  settle: ({ home, project }, modelUrl) => {
    putFile(join(home, '.factory', 'settings.json'), {
      autoUpdateEnabled: false,
      logoAnimation: 'off',
      trustedFolders: { [project]: { trustedAt: new Date().toISOString() } },
      sessionDefaultSettings: { model: 'custom:story' },
      customModels: [
        {
          model: 'story',
          displayName: 'Story',
          baseUrl: `${modelUrl}/v1`,
          apiKey: 'dummy',
          provider: 'generic-chat-completion-api',
          maxOutputTokens: 1_000,
        },
      ],
    });
  },
  interactive: { args: ['--auto', 'high'], ready: 'allow all commands' },
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
export const MORE_AGENTS: readonly (PromptedAgent | TypedAgent)[] = [
  QWEN,
  PI,
  COPILOT,
  KILO,
  CLINE,
  DROID,
].filter(({ name }) => wanted.includes(name));
