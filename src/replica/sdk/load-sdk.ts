import { UsageError } from '../../terminal/usage-error.ts';

type WholeSdk = typeof import('@anthropic-ai/claude-agent-sdk');

/** What is used of the SDK at run time. Without the second, conversations show their prompts alone. */
export type Sdk = Pick<WholeSdk, 'query'> & Partial<Pick<WholeSdk, 'getSessionMessages'>>;

const PACKAGE = '@anthropic-ai/claude-agent-sdk';

/**
 * The SDK is large and optional: users of the library do not need it. Throws `UsageError` where it is not
 * installed; any other failure of it as it is.
 */
export async function loadSdk(importSdk: () => Promise<Sdk> = fromPackage): Promise<Sdk> {
  try {
    return await importSdk();
  } catch (error) {
    if (!isMissing(error)) throw error;
    const message = 'The interactive agent needs the Claude Agent SDK, which is not installed.';
    throw new UsageError(message, `npm install ${PACKAGE}`);
  }
}

function fromPackage(): Promise<Sdk> {
  return import('@anthropic-ai/claude-agent-sdk');
}

/** That something which the SDK itself needs is missing is another matter. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  // The second where the command was built: there it is required, not imported.
  const isNotFound = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND';
  return isNotFound && error.message.includes(`'${PACKAGE}'`);
}
