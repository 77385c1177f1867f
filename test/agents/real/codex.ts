import { join } from 'node:path';
import type { Act } from '../model/script.ts';
import { installed, putFile, type RealAgent } from './real-agent.ts';

const FLAGS: readonly string[] = [
  '--dangerously-bypass-approvals-and-sandbox',
  // A person would trust the hooks by hand, once. No setting that we may write does.
  '--dangerously-bypass-hook-trust',
];

export const CODEX: RealAgent = {
  name: 'codex',
  program: 'codex',
  file: installed('@openai/codex/bin/codex.js'),
  protocol: 'responses',
  toolFor: () => (act) => {
    switch (act.act) {
      case 'run':
        return { name: 'exec_command', input: { cmd: act.command } };
      case 'read':
        return { name: 'exec_command', input: { cmd: `cat ${act.path}` } };
      case 'delegate':
        return {
          name: 'collaboration/spawn_agent',
          input: { task_name: 'helper', message: act.prompt, fork_turns: 'none' },
        };
      case 'wait':
        return { name: 'collaboration/wait_agent', input: {} };
      default:
        return { name: 'apply_patch', input: { patch: patchOf(act) } };
    }
  },
  env: () => ({ LOCAL_MODEL_KEY: 'dummy' }),
  settle: ({ home, project }, modelUrl) => {
    putFile(
      join(home, '.codex', 'config.toml'),
      [
        'model = "gpt-5.5"',
        'model_provider = "local"',
        'check_for_update_on_startup = false',
        '',
        '[features]',
        // Otherwise a model has to search for the tools of sub-agents before it may call them.
        'multi_agent_v2 = true',
        '',
        '[model_providers.local]',
        'name = "local"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "LOCAL_MODEL_KEY"',
        '',
        `[projects."${project}"]`,
        'trust_level = "trusted"',
        '',
      ].join('\n'),
    );
  },
  once: (prompt, sessionId) => [
    'exec',
    '--skip-git-repo-check',
    '--json',
    ...FLAGS,
    ...(sessionId === null ? [prompt] : ['resume', sessionId, prompt]),
  ],
  sessionIn: (output) => /"thread_id":"([^"]+)"/.exec(output)?.[1],
  interactive: {
    args: FLAGS,
    question: { text: 'Use existing model', keys: '2' },
    ready: 'Ask Codex',
    escapes: 1,
    interrupted: 'Conversation interrupted',
  },
};

/** Codex writes files by patches alone. */
function patchOf(act: Extract<Act, { act: 'write' | 'edit' }>): string {
  const lines = (sign: string, text: string): string[] =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => sign + line);
  const body =
    act.act === 'write'
      ? [`*** Add File: ${act.path}`, ...lines('+', act.content)]
      : [`*** Update File: ${act.path}`, '@@', ...lines('-', act.from), ...lines('+', act.to)];
  return ['*** Begin Patch', ...body, '*** End Patch'].join('\n');
}
