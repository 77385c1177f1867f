import { join } from 'node:path';
import { fileSize } from '../fs/entries.ts';
import { readFile } from '../fs/read-file.ts';

/** How the agent would show who it is. Never what it would show. */
export type CredentialKind =
  | 'bedrock'
  | 'vertex'
  | 'foundry'
  | 'auth-token'
  | 'api-key'
  | 'oauth-token'
  | 'login';

export interface CredentialPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform?: NodeJS.Platform;
}

/** Which credentials there are, those first that the SDK takes first; null where there are none. */
export function findCredentials({
  env,
  home,
  platform = process.platform,
}: CredentialPlaces): CredentialKind | null {
  const cloud = CLOUDS.find(([variable]) => isOn(env[variable]));
  if (cloud !== undefined) return cloud[1];
  const token = TOKENS.find(([variable]) => Boolean(env[variable]?.trim()));
  if (token !== undefined) return token[1];
  const folder = env.CLAUDE_CONFIG_DIR || join(home, '.claude');
  if (holdsSomething(join(folder, '.credentials.json'))) return 'login';
  return platform === 'darwin' && hasAccount(env, home) ? 'login' : null;
}

const CLOUDS: readonly (readonly [string, CredentialKind])[] = [
  ['CLAUDE_CODE_USE_BEDROCK', 'bedrock'],
  ['CLAUDE_CODE_USE_VERTEX', 'vertex'],
  ['CLAUDE_CODE_USE_FOUNDRY', 'foundry'],
];

const TOKENS: readonly (readonly [string, CredentialKind])[] = [
  ['ANTHROPIC_AUTH_TOKEN', 'auth-token'],
  ['ANTHROPIC_API_KEY', 'api-key'],
  ['CLAUDE_CODE_OAUTH_TOKEN', 'oauth-token'],
];

function isOn(text: string | undefined): boolean {
  return ['1', 'true', 'yes', 'on'].includes(text?.trim().toLowerCase() ?? '');
}

/** After a logout the file may be there with an empty object in it. */
function holdsSomething(file: string): boolean {
  try {
    return (fileSize(file) ?? 0) > '{}\n'.length;
  } catch {
    return false;
  }
}

/** macOS keeps the credentials in its keychain, at which nobody may look; whose they are stands here. */
function hasAccount(env: CredentialPlaces['env'], home: string): boolean {
  try {
    const file = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
    const { bytes } = readFile(file, { followLink: true });
    return bytes !== null && Object.hasOwn(JSON.parse(bytes.toString()), 'oauthAccount');
  } catch {
    return false;
  }
}
