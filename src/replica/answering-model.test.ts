import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../test/setup/temporary-folder.ts';
import { findCredentials } from './answering-model.ts';

const platform = 'linux';

describe('findCredentials', () => {
  it.each([
    [{ ANTHROPIC_API_KEY: 'dummy' }, 'api-key'],
    [{ ANTHROPIC_AUTH_TOKEN: 'dummy', ANTHROPIC_API_KEY: 'dummy' }, 'auth-token'],
    [{ CLAUDE_CODE_OAUTH_TOKEN: 'dummy' }, 'oauth-token'],
    [{ CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_API_KEY: 'dummy' }, 'bedrock'],
    [{ CLAUDE_CODE_USE_VERTEX: 'true' }, 'vertex'],
    [{ ANTHROPIC_API_KEY: ' ', CLAUDE_CODE_USE_BEDROCK: '0' }, null],
    [{}, null],
  ])('finds in %j the kind %j', async (env, kind) => {
    await withTemporaryFolder(async (home) => {
      expect(findCredentials({ env, home, platform })).toBe(kind);
    });
  });

  it('finds a login by its file, without reading it', async () => {
    await withTemporaryFolder(async (home) => {
      await mkdir(join(home, '.claude'));
      const file = join(home, '.claude', '.credentials.json');
      await writeFile(file, '{}');
      expect(findCredentials({ env: {}, home, platform })).toBeNull();
      await writeFile(file, '{"claudeAiOauth": "dummy"}');
      expect(findCredentials({ env: {}, home, platform })).toBe('login');
      const env = { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') };
      expect(findCredentials({ env, home, platform })).toBeNull();
    });
  });

  it('finds a login on macOS, where the keychain holds the rest, by its account', async () => {
    await withTemporaryFolder(async (home) => {
      await writeFile(join(home, '.claude.json'), '{"oauthAccount": {}}');
      expect(findCredentials({ env: {}, home, platform: 'darwin' })).toBe('login');
      expect(findCredentials({ env: {}, home, platform })).toBeNull();
      await writeFile(join(home, '.claude.json'), '{');
      expect(findCredentials({ env: {}, home, platform: 'darwin' })).toBeNull();
    });
  });
});
