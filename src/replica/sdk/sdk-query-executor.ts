import type { Options, Query, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { ConversationStart } from './conversation.ts';
import type { Sdk } from './load-sdk.ts';

/** What a conversation is run with, in our own terms. */
export interface QueryOptions {
  readonly cwd: string;
  /** All of the environment of the SDK's process; nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly enableFileCheckpointing?: boolean;
  readonly model?: string | null;
  /** What the project tells agents, beside what every coding agent is told. */
  readonly instructions?: string | null;
  readonly permissionMode?: Options['permissionMode'];
  /** Whether the mode may become `bypassPermissions` later. */
  readonly mayBypass?: boolean;
  readonly canUseTool?: Options['canUseTool'];
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly mcpServers?: Readonly<NonNullable<Options['mcpServers']>>;
  readonly hooks?: Options['hooks'];
  readonly extraArgs?: Readonly<Record<string, string | null>>;
  /** New, or gone on from another; without it the SDK chooses an id. */
  readonly start?: ConversationStart;
  readonly stderr?: (data: string) => void;
  readonly spawnClaudeCodeProcess?: Options['spawnClaudeCodeProcess'];
}

/** Runs queries of the SDK. */
export class SDKQueryExecutor {
  readonly #sdk: Sdk;

  constructor(sdk: Sdk) {
    this.#sdk = sdk;
  }

  execute(prompt: string | AsyncIterable<SDKUserMessage>, options: QueryOptions): Query {
    const mapped = this.mapToSDKOptions(options);
    return withoutShadowWarning(() => this.#sdk.query({ prompt, options: mapped }));
  }

  mapToSDKOptions(options: QueryOptions): Options {
    const { cwd, env, model, start, hooks, canUseTool, stderr, spawnClaudeCodeProcess } = options;
    const { permissionMode = 'default', mayBypass, enableFileCheckpointing, extraArgs } = options;
    // The SDK tells of a prompt's uuid, which names its checkpoint, only when it replays prompts.
    const replays = enableFileCheckpointing ? { 'replay-user-messages': null } : {};
    const bypasses = permissionMode === 'bypassPermissions' || mayBypass;
    return {
      cwd,
      env: { ...env },
      includePartialMessages: true,
      // Settings files may hold hooks, which are programs: none is read.
      settingSources: [],
      allowedTools: [...(options.allowedTools ?? [])],
      disallowedTools: [...(options.disallowedTools ?? [])],
      mcpServers: { ...options.mcpServers },
      systemPrompt: systemPrompt(options),
      permissionMode,
      extraArgs: { ...extraArgs, ...replays },
      ...given({ hooks, canUseTool, stderr, spawnClaudeCodeProcess, model: model ?? undefined }),
      ...(bypasses ? { allowDangerouslySkipPermissions: true } : {}),
      ...(enableFileCheckpointing ? { enableFileCheckpointing } : {}),
      ...(start === undefined ? {} : conversation(start)),
    };
  }
}

/** Without the preset the system prompt of the SDK is hardly more than a sentence. */
function systemPrompt({ instructions }: QueryOptions): NonNullable<Options['systemPrompt']> {
  const preset = { type: 'preset', preset: 'claude_code' } as const;
  if (instructions === undefined || instructions === null) return preset;
  return { ...preset, append: `# Instructions of this project (CLAUDE.md)\n\n${instructions}` };
}

/** The SDK takes a session id of ours for a new session or a fork, not for a resumed one. */
function conversation({ sessionId, from }: ConversationStart): Options {
  if (from === null) return { sessionId };
  const resumed = {
    resume: from.sessionId,
    ...given({ resumeSessionAt: from.lastMessageId ?? undefined }),
  };
  return from.fork ? { ...resumed, forkSession: true, sessionId } : resumed;
}

/** Drops undefined fields: the SDK treats them differently from missing ones. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/**
 * The SDK warns that some tools run without a question, which the person has chosen. The warning would be
 * written into what is drawn at the terminal, so exactly this one is dropped; all others pass.
 */
function withoutShadowWarning<T>(work: () => T): T {
  const emit = process.emitWarning as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]): void => {
    if (!isShadowWarning(args[1])) emit.apply(process, args);
  };
  try {
    return work();
  } finally {
    process.emitWarning = emit as typeof process.emitWarning;
  }
}

function isShadowWarning(options: unknown): boolean {
  const code = typeof options === 'object' && options !== null && 'code' in options && options.code;
  return code === 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED';
}
