import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { installed, putFile, type RealAgent } from './real-agent.ts';

export const OPENCODE: RealAgent = {
  name: 'opencode',
  program: 'opencode',
  file: installed(`opencode-${process.platform}-${process.arch}/bin/opencode`),
  protocol: 'chat-completions',
  toolFor: (project) => (act) => {
    switch (act.act) {
      case 'read':
        return { name: 'read', input: { filePath: join(project, act.path) } };
      case 'write':
        return {
          name: 'write',
          input: { filePath: join(project, act.path), content: act.content },
        };
      case 'edit':
        return {
          name: 'edit',
          input: { filePath: join(project, act.path), oldString: act.from, newString: act.to },
        };
      case 'run':
        return { name: 'bash', input: { command: act.command, description: 'a command' } };
      case 'wait':
        return { name: 'bash', input: { command: 'true', description: 'a pause' } };
      case 'delegate':
        return {
          name: 'task',
          input: { description: 'a helper', prompt: act.prompt, subagent_type: 'general' },
        };
    }
  },
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  settle: ({ home }, modelUrl) => {
    const config = join(home, '.config', 'opencode');
    // opencode installs a package from npm into each of its folders, unless these say that it is there.
    const dependencies = { '@opencode-ai/plugin': '1.18.33' };
    putFile(join(config, 'package-lock.json'), { packages: { '': { dependencies } } });
    mkdirSync(join(config, 'node_modules'));
    putFile(join(config, 'opencode.json'), {
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
    'run',
    '--format',
    'json',
    ...(sessionId === null ? [] : ['--session', sessionId]),
    prompt,
  ],
  sessionIn: (output) => /"sessionID":"([^"]+)"/.exec(output)?.[1],
  interactive: {
    args: [],
    ready: 'Ask anything',
    escapes: 2,
    interrupted: 'interrupted',
  },
};
