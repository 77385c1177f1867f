import { describe, expect, it } from 'vitest';
import { UsageError } from '../../terminal/usage-error.ts';
import { loadSdk } from './load-sdk.ts';

const failing =
  (message: string, code = 'ERR_MODULE_NOT_FOUND') =>
  async () => {
    throw Object.assign(new Error(message), { code });
  };

describe('loadSdk', () => {
  it('loads what is installed', async () => {
    expect(typeof (await loadSdk()).query).toBe('function');
  });

  it.each([
    [
      'ERR_MODULE_NOT_FOUND',
      "Cannot find package '@anthropic-ai/claude-agent-sdk' imported from x",
    ],
    ['MODULE_NOT_FOUND', "Cannot find module '@anthropic-ai/claude-agent-sdk'\nRequire stack: x"],
  ])('says how to add it where it is not installed (%s)', async (code, message) => {
    const missing = failing(message, code);
    const error = await loadSdk(missing).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ hint: 'npm install @anthropic-ai/claude-agent-sdk' });
  });

  it('does not call another failure a missing SDK', async () => {
    const other = failing("Cannot find package 'zod' imported from claude-agent-sdk");
    await expect(loadSdk(other)).rejects.toThrow("Cannot find package 'zod'");
    await expect(loadSdk(other)).rejects.not.toBeInstanceOf(UsageError);
  });
});
