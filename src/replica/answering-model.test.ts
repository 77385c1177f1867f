import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../test/setup/temporary-folder.ts';
import { hasCredentials } from './answering-model.ts';

const platform = 'linux';

describe('hasCredentials', () => {
  it.each([
    [{ ANTHROPIC_API_KEY: 'dummy' }, true],
    [{ ANTHROPIC_AUTH_TOKEN: 'dummy', ANTHROPIC_API_KEY: 'dummy' }, true],
    [{ CLAUDE_CODE_OAUTH_TOKEN: 'dummy' }, true],
    [{ CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_API_KEY: 'dummy' }, true],
    [{ CLAUDE_CODE_USE_VERTEX: 'true' }, true],
    [{ ANTHROPIC_API_KEY: ' ', CLAUDE_CODE_USE_BEDROCK: '0' }, false],
    [{}, false],
  ])('takes %j for credentials: %j', async (env, expected) => {
    await withTemporaryFolder(async (home) => {
      expect(hasCredentials({ env, home, platform })).toBe(expected);
    });
  });

  it('finds a login by its file, without reading it', async () => {
    await withTemporaryFolder(async (home) => {
      await mkdir(join(home, '.claude'));
      const file = join(home, '.claude', '.credentials.json');
      await writeFile(file, '{}');
      expect(hasCredentials({ env: {}, home, platform })).toBe(false);
      await writeFile(file, '{"claudeAiOauth": "dummy"}');
      expect(hasCredentials({ env: {}, home, platform })).toBe(true);
      const env = { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') };
      expect(hasCredentials({ env, home, platform })).toBe(false);
    });
  });

  it('finds a login on macOS, where the keychain holds the rest, by its account', async () => {
    await withTemporaryFolder(async (home) => {
      await writeFile(join(home, '.claude.json'), '{"oauthAccount": {}}');
      expect(hasCredentials({ env: {}, home, platform: 'darwin' })).toBe(true);
      expect(hasCredentials({ env: {}, home, platform })).toBe(false);
      await writeFile(join(home, '.claude.json'), '{');
      expect(hasCredentials({ env: {}, home, platform: 'darwin' })).toBe(false);
    });
  });
});
