import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { settingsText } from '../../terminal/settings-text.ts';
import { ConfigManager, SDKConfigLoader } from './config-manager.ts';
import type { EffectiveValue } from './replica-settings.ts';

describe('Scenario: load checkpoint configuration options: WHEN the configuration is loaded', () => {
  it('GIVEN nobody says anything, THEN checkpoints are on AND 10 of them are kept', async () => {
    await withFiles({}, async ({ config }) => {
      expect(await config.getProjectConfig()).toEqual({
        enableFileCheckpointing: true,
        checkpointKeepCount: 10,
        model: null,
        permissionMode: 'default',
        mcpServers: {},
        allowedTools: [],
        disallowedTools: [],
        extraArgs: {},
        verbose: false,
      });
      expect(new Set(config.effective().map(({ origin }) => origin))).toEqual(new Set(['default']));
      expect(config.warnings).toEqual([]);
    });
  });

  it('GIVEN several say something, THEN the environment counts before the project before the user', async () => {
    const files = {
      user: { checkpointKeepCount: 20, model: 'of-user', verbose: true },
      project: { checkpointKeepCount: 15, model: 'of-project' },
      environment: { CLAUDE_REPLICA_MODEL: 'of-environment', CLAUDE_REPLICA_VERBOSE: '' },
    };
    await withFiles(files, async ({ config, home, project }) => {
      const values = await config.getProjectConfig();
      expect(values).toMatchObject({ checkpointKeepCount: 15, model: 'of-environment' });
      expect(originsOf(config)).toMatchObject({
        enableFileCheckpointing: ['default', null],
        checkpointKeepCount: ['project', join(project, '.claude-replica/settings.json')],
        model: ['environment', 'CLAUDE_REPLICA_MODEL'],
        verbose: ['user', join(home, '.claude-replica/settings.json')],
      });
    });
  });

  it('reads every kind of value from a variable', async () => {
    const environment = {
      CLAUDE_REPLICA_ENABLE_FILE_CHECKPOINTING: '0',
      CLAUDE_REPLICA_CHECKPOINT_KEEP_COUNT: '3',
      CLAUDE_REPLICA_PERMISSION_MODE: 'acceptEdits',
      CLAUDE_REPLICA_ALLOWED_TOOLS: 'Read, Bash(sed -n 1,2p a),',
    };
    await withFiles({ environment }, async ({ config }) => {
      expect(await config.getProjectConfig()).toMatchObject({
        enableFileCheckpointing: false,
        checkpointKeepCount: 3,
        permissionMode: 'acceptEdits',
        allowedTools: ['Read', 'Bash(sed -n 1,2p a)'],
      });
    });
  });

  it.each([
    ['checkpointKeepCount', 0],
    ['checkpointKeepCount', '10'],
    ['enableFileCheckpointing', 'yes'],
    ['permissionMode', 'yolo'],
    ['allowedTools', 'Read'],
    ['extraArgs', { debug: 1 }],
    ['mcpServers', { a: { type: 'http' } }],
    ['mcpServers', { a: { command: 'x', args: 'y' } }],
    ['mcpServers', { a: { command: 'x', args: ['a\0b'] } }],
    ['mcpServers', { a: { command: 'x', env: { A: 1 } } }],
    ['mcpServers', { a: { type: 'http', url: 'mcp.example' } }],
    ['mcpServers', { a: { type: 'sse', url: 'file:///etc/passwd' } }],
    ['mcpServers', { a: { type: 'http', url: 'http://x/', headers: { A: 'b\r\nC: d' } } }],
    ['mcpServers', { a: { type: 'sdk', name: 'x' } }],
    ['mcpServers', { 'a\u001b[2J': { command: 'x' } }],
    ['model', 4],
  ])('names file and key where the user set %s to %j', async (key, value) => {
    await withFiles({ user: { [key]: value } }, async ({ config, home }) => {
      const error = await config.getProjectConfig().catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'config-invalid' });
      expect(error.message).toContain(join(home, '.claude-replica/settings.json'));
      expect(error.message).toMatch(new RegExp(`"${key}".* must be`));
    });
  });

  it('names the variable that holds something else', async () => {
    const environment = { CLAUDE_REPLICA_CHECKPOINT_KEEP_COUNT: 'many' };
    await withFiles({ environment }, async ({ config }) => {
      await expect(config.getProjectConfig()).rejects.toThrow(
        'CLAUDE_REPLICA_CHECKPOINT_KEEP_COUNT must be a whole number',
      );
    });
  });

  it('warns of names that no setting is called by, with what they hold made visible', async () => {
    await withFiles({ user: { 'chekpoint\u001b[2J': 1 } }, async ({ config }) => {
      expect(config.warnings).toEqual([
        expect.stringContaining('no setting is called "chekpoint\\x1b[2J"'),
      ]);
    });
  });
});

describe('what a project may not set', () => {
  it.each([
    ['mcpServers', { evil: { command: '/bin/sh', args: ['-c', 'true'] } }],
    ['mcpServers', { evil: { type: 'http', url: 'https://example.org' } }],
    ['permissionMode', 'bypassPermissions'],
    ['permissionMode', 'acceptEdits'],
    ['allowedTools', ['Bash']],
    ['extraArgs', { 'dangerously-skip-permissions': null }],
  ])('is %s: %j, which is ignored with a warning', async (key, value) => {
    await withFiles({ project: { [key]: value } }, async ({ config }) => {
      const effective = config.effective().find((one) => one.key === key);
      expect(effective?.origin).toBe('default');
      expect(config.warnings).toEqual([expect.stringContaining(`"${key}"`)]);
    });
  });

  it('is a looser mode than the user has; a stricter one counts', async () => {
    const user = { permissionMode: 'acceptEdits' };
    await withFiles({ user, project: { permissionMode: 'plan' } }, async ({ config }) => {
      expect((await config.getProjectConfig()).permissionMode).toBe('plan');
    });
    await withFiles({ user, project: { permissionMode: 'default' } }, async ({ config }) => {
      expect((await config.getProjectConfig()).permissionMode).toBe('default');
    });
  });

  it('is fewer tools that are forbidden: it adds to them', async () => {
    const files = { user: { disallowedTools: ['Bash'] }, project: { disallowedTools: ['Write'] } };
    await withFiles(files, async ({ config }) => {
      expect((await config.getProjectConfig()).disallowedTools).toEqual(['Bash', 'Write']);
    });
  });

  it('can turn checkpoints off, and that does not go unsaid', async () => {
    await withFiles({ project: { enableFileCheckpointing: false } }, async ({ config }) => {
      expect((await config.getProjectConfig()).enableFileCheckpointing).toBe(false);
      expect(config.warnings).toEqual([expect.stringContaining('turns checkpoints off')]);
    });
  });

  it('breaks nothing where its file is no JSON, or one value of it is wrong', async () => {
    await withFiles({ project: '{' }, async ({ config }) => {
      expect((await config.getProjectConfig()).checkpointKeepCount).toBe(10);
      expect(config.warnings).toEqual([expect.stringContaining('is not JSON')]);
    });
    const project = { checkpointKeepCount: 'x', verbose: true };
    await withFiles({ project }, async ({ config }) => {
      expect(await config.getProjectConfig()).toMatchObject({
        checkpointKeepCount: 10,
        verbose: true,
      });
      expect(config.warnings).toEqual([expect.stringContaining('"checkpointKeepCount"')]);
    });
  });

  it.runIf(process.platform !== 'win32')('hangs on no pipe in place of its file', async () => {
    await withFiles({}, async ({ config, project }) => {
      await mkdir(join(project, '.claude-replica'));
      execFileSync('mkfifo', [join(project, '.claude-replica/settings.json')]);
      expect((await config.getProjectConfig()).verbose).toBe(false);
      expect(config.warnings).toEqual([expect.stringContaining('is not a file')]);
    });
  });

  it('is nothing where the project is the home folder, whose file is the own one', async () => {
    const user = { permissionMode: 'acceptEdits', mcpServers: { a: { command: 'x' } } };
    await withFiles({ user }, async ({ home }) => {
      await symlink(home, join(home, 'link'));
      const places = { home, project: join(home, 'link'), environment: {} };
      const config = new ConfigManager(new SDKConfigLoader(places));
      expect((await config.getProjectConfig()).permissionMode).toBe('acceptEdits');
      expect(config.warnings).toEqual([]);
    });
  });
});

describe('the configuration as it is shown', () => {
  const user = {
    mcpServers: {
      local: { command: 'server', args: ['--token', 'dummy-a'], env: { TOKEN: 'dummy-b' } },
      far: { type: 'http', url: 'https://example.org/x?key=dummy-c', headers: { a: 'dummy-d' } },
    },
    allowedTools: ['Read', 'Glob'],
  };

  it('has a line for each value with its origin, and holds no key of a server', async () => {
    await withFiles({ user }, async ({ config, home }) => {
      const file = join(home, '.claude-replica/settings.json');
      const text = settingsText(config.effective(), (_style, shown) => shown).map((line) =>
        line.trimEnd().replace(/ +/g, ' '),
      );
      expect(text).toEqual([
        'enableFileCheckpointing true default',
        'checkpointKeepCount 10 default',
        'model none default',
        'permissionMode default default',
        `mcpServers local: server user ${file}`,
        ` far: https://example.org user ${file}`,
        `allowedTools Read user ${file}`,
        ` Glob user ${file}`,
        'disallowedTools none default',
        'extraArgs none default',
        'verbose false default',
      ]);
      const json = JSON.stringify(config.effective());
      expect(`${text}${json}`).not.toContain('dummy');
    });
  });

  it('says the same to programs', async () => {
    await withFiles({ environment: { CLAUDE_REPLICA_MODEL: 'm' } }, async ({ config }) => {
      expect(config.effective()).toContainEqual({
        key: 'model',
        value: 'm',
        origin: 'environment',
        source: 'CLAUDE_REPLICA_MODEL',
        variable: 'CLAUDE_REPLICA_MODEL',
        summary: 'the model that answers',
      });
    });
  });
});

interface Files {
  readonly user?: unknown;
  readonly project?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
}

interface Setting {
  readonly config: ConfigManager;
  readonly home: string;
  readonly project: string;
}

async function withFiles(files: Files, body: (setting: Setting) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const [home, project] = [join(folder, 'home'), join(folder, 'project')];
    await mkdir(home);
    await mkdir(project);
    if (files.user !== undefined) await write(home, files.user);
    if (files.project !== undefined) await write(project, files.project);
    const places = { home, project, environment: files.environment ?? {} };
    await body({ config: new ConfigManager(new SDKConfigLoader(places)), home, project });
  });
}

async function write(folder: string, value: unknown): Promise<void> {
  const file = join(folder, '.claude-replica', 'settings.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
}

function originsOf(config: ConfigManager): Record<string, unknown> {
  const pair = ({ key, origin, source }: EffectiveValue): [string, unknown] => [
    key,
    [origin, source],
  ];
  return Object.fromEntries(config.effective().map(pair));
}
