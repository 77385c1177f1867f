import { describe, expect, it } from 'vitest';
import { loadSdk, SdkMissingError } from './load-sdk.ts';

const failing = (message: string) => async () => {
  throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
};

describe('loadSdk', () => {
  it('loads what is installed', async () => {
    expect(typeof (await loadSdk()).query).toBe('function');
  });

  it('says how to add it where it is not installed', async () => {
    const missing = failing("Cannot find package '@anthropic-ai/claude-agent-sdk' imported from x");
    const error = await loadSdk(missing).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SdkMissingError);
    expect(error).toMatchObject({ hint: 'npm install @anthropic-ai/claude-agent-sdk' });
  });

  it('does not call another failure a missing SDK', async () => {
    const other = failing("Cannot find package 'zod' imported from claude-agent-sdk");
    await expect(loadSdk(other)).rejects.toThrow("Cannot find package 'zod'");
    await expect(loadSdk(other)).rejects.not.toBeInstanceOf(SdkMissingError);
  });
});
