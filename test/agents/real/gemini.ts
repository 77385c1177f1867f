import { join } from 'node:path';
import { installed, putFile, type RealAgent } from './real-agent.ts';

const FLAGS: readonly string[] = ['--yolo', '--skip-trust'];

export const GEMINI_CLI: RealAgent = {
  name: 'gemini',
  program: 'gemini',
  file: installed('@google/gemini-cli/bundle/gemini.js'),
  protocol: 'gemini',
  toolFor: (project) => (act) => {
    switch (act.act) {
      case 'read':
        return { name: 'read_file', input: { file_path: join(project, act.path) } };
      case 'write':
        return {
          name: 'write_file',
          input: { file_path: join(project, act.path), content: act.content },
        };
      case 'edit':
        return {
          name: 'replace',
          input: {
            file_path: join(project, act.path),
            old_string: act.from,
            new_string: act.to,
            instruction: 'as the story says',
          },
        };
      case 'run':
        return { name: 'run_shell_command', input: { command: act.command } };
      case 'wait':
        return { name: 'run_shell_command', input: { command: 'true' } };
      case 'delegate':
        return { name: 'invoke_agent', input: { agent_name: 'generalist', prompt: act.prompt } };
    }
  },
  env: (modelUrl) => ({
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  settle: ({ home }) => {
    putFile(join(home, '.gemini', 'settings.json'), {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    });
  },
  once: (prompt, sessionId) => [
    ...['-p', prompt, '--output-format', 'json'],
    ...FLAGS,
    ...(sessionId === null ? [] : ['--resume', sessionId]),
  ],
  sessionIn: (output) => /"session_id":\s*"([^"]+)"/.exec(output)?.[1],
  interactive: {
    args: FLAGS,
    ready: 'Type your message',
    escapes: 1,
    interrupted: 'Request cancelled',
  },
};
