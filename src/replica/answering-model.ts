import { join } from 'node:path';
import { withoutCredentials } from '../config/find-project.ts';
import { fileSize } from '../fs/entries.ts';
import { readFile } from '../fs/read-file.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { OFFLINE_MODEL, startOfflineModel } from './offline-model/offline-model.ts';
import type { ReplicaIo, ReplicaRequest } from './request.ts';
import type { Stage } from './stage.ts';

/** The model that answers: one behind the person's account, or the demonstration model. */
export interface AnsweringModel {
  /** All of the environment of the SDK's process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The model to ask for, where that is not the person's choice. */
  readonly name: string | null;
  /** For the line below the input; null where there is nothing to say. */
  readonly label: string | null;
  close(): Promise<void>;
}

const DEMONSTRATION = 'demonstration model, offline';

/** Null when the person would rather leave. */
export async function chooseModel(
  request: ReplicaRequest,
  io: ReplicaIo,
  stage: Stage,
): Promise<AnsweringModel | null> {
  if (request.offline) return offlineModel(stage);
  const env = withoutCredentials(io.env);
  const { homeDirectory: home, platform } = io;
  if (hasCredentials({ env, home, platform })) {
    // The account is in the home directory of the person, also in a scratch project.
    return { env, name: null, label: null, close: async () => undefined };
  }
  if (request.demo) {
    io.err('No credentials were found, so the demonstration model answers.\n');
    return offlineModel(stage);
  }
  if (!io.interactive) {
    const message = 'no credentials were found (ANTHROPIC_API_KEY, or a login of Claude Code)';
    throw new UsageError(message, 'try it without an account: --offline');
  }
  io.out('No credentials were found (ANTHROPIC_API_KEY, or a login of Claude Code).\n');
  const answer = await io.ask('Go on with the offline demonstration model? [Y/n] ');
  if (answer === null || /^\s*n/i.test(answer)) return null;
  return offlineModel(stage);
}

/** A process that sees nothing of the person's account, and writes nowhere but into our own folder. */
async function offlineModel(stage: Stage): Promise<AnsweringModel> {
  const model = await startOfflineModel(stage.project);
  const passed = Object.fromEntries(PASSED_ON.map((name) => [name, stage.env[name]]));
  return {
    env: {
      ...passed,
      HOME: stage.home,
      CLAUDE_CONFIG_DIR: join(stage.replicaHome, 'offline'),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Otherwise it has no list of things to do.
      CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
      CLAUDE_CODE_ENABLE_TASKS: '0',
    },
    name: OFFLINE_MODEL,
    label: DEMONSTRATION,
    close: () => model.close(),
  };
}

const PASSED_ON = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TERM',
  'TMPDIR',
  'SHELL',
  'IS_SANDBOX',
  'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING',
] as const;

interface CredentialPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Whether the SDK would find credentials. What they are is not looked at. */
export function hasCredentials({ env, home, platform }: CredentialPlaces): boolean {
  if (CLOUDS.some((variable) => isOn(env[variable]))) return true;
  if (TOKENS.some((variable) => Boolean(env[variable]?.trim()))) return true;
  const folder = env.CLAUDE_CONFIG_DIR || join(home, '.claude');
  if (holdsSomething(join(folder, '.credentials.json'))) return true;
  return platform === 'darwin' && hasAccount(env, home);
}

const CLOUDS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];
const TOKENS = ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'];

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

/** macOS keeps credentials in its keychain; this file tells only that there is an account. */
function hasAccount(env: CredentialPlaces['env'], home: string): boolean {
  try {
    const file = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
    const { bytes } = readFile(file, { followLink: true });
    return bytes !== null && Object.hasOwn(JSON.parse(bytes.toString()), 'oauthAccount');
  } catch {
    return false;
  }
}
