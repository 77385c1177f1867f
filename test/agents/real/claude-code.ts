import { join } from 'node:path';
import { inCheckout } from '../../../scripts/bundle-inputs.ts';
import { putFile, type RealAgent } from './real-agent.ts';

const MODEL = 'claude-sonnet-4-5';
const KEY = 'dummy';

const FLAGS: readonly string[] = ['--permission-mode', 'bypassPermissions', '--model', MODEL];

/** Its binary is the one that the SDK brings. */
export const CLAUDE_CODE: RealAgent = {
  name: 'claude-code',
  program: 'claude',
  file: inCheckout(
    `node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`,
  ),
  protocol: 'messages',
  toolFor: (project) => (act) => {
    switch (act.act) {
      case 'read':
        return { name: 'Read', input: { file_path: join(project, act.path) } };
      case 'write':
        return {
          name: 'Write',
          input: { file_path: join(project, act.path), content: act.content },
        };
      case 'edit':
        return {
          name: 'Edit',
          input: { file_path: join(project, act.path), old_string: act.from, new_string: act.to },
        };
      case 'run':
        return { name: 'Bash', input: { command: act.command, description: 'a command' } };
      case 'wait':
        return { name: 'Bash', input: { command: 'true', description: 'a pause' } };
      case 'delegate':
        return {
          name: 'Agent',
          input: {
            description: 'a helper',
            prompt: act.prompt,
            subagent_type: 'general-purpose',
          },
        };
    }
  },
  env: (modelUrl) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // As root it refuses to work without questions otherwise.
    IS_SANDBOX: '1',
  }),
  settle: ({ home, project }) => {
    putFile(join(home, '.claude.json'), {
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [KEY], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true } },
    });
  },
  once: (prompt, sessionId) => [
    ...['-p', prompt, '--output-format', 'json'],
    ...FLAGS,
    ...(sessionId === null ? [] : ['--resume', sessionId]),
  ],
  sessionIn: (output) => /"session_id":"([^"]+)"/.exec(output)?.[1],
  interactive: {
    args: FLAGS,
    ready: '❯',
    escapes: 1,
    interrupted: 'Interrupted',
  },
};
