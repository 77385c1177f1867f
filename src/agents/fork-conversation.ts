import { readFileOrNull } from '../fs/read-file.ts';
import { type Conversation, SavepointError } from '../index.ts';
import { type Kind, recordOf, unchecked } from '../model/check.ts';
import { parseJson } from './read-json.ts';

/** A conversation, and the prompt before which it is to be cut. */
export interface ForkRequest {
  readonly conversation: Conversation;
  readonly prompt: string;
  /** When the prompt was sent, in milliseconds. */
  readonly sentAt: number;
  /** The folder in which the agent works. No program in it is run. */
  readonly project: string;
  /** The variables of the caller; agents get only those that they need. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ForkedConversation {
  /** The agent's id of the new conversation; null where it begins with nothing. */
  readonly id: string | null;
  /** The words of the one command that continues there, and the folder in which to run it. */
  readonly command: readonly string[];
  readonly folder: string;
}

/**
 * Copies the part of a conversation before a prompt into a new conversation. It asks no model, and the files
 * of the original stay as they are. Throws `conversation-not-forked`.
 */
export type ForkConversation = (request: ForkRequest) => Promise<ForkedConversation>;

const FORKS: Readonly<Partial<Record<string, () => Promise<ForkConversation>>>> = {
  'claude-code': async () => (await import('./claude-code/fork.ts')).forkClaudeCode,
  codex: async () => (await import('./codex/fork.ts')).forkCodex,
  gemini: async () => (await import('./gemini/fork.ts')).forkGemini,
  opencode: async () => (await import('./opencode/fork.ts')).forkOpencode,
};

/** Throws `conversation-not-forked` for an agent that has no such way. */
export async function loadFork(agent: string | null): Promise<ForkConversation> {
  const load = Object.hasOwn(FORKS, agent ?? '') ? FORKS[agent ?? ''] : undefined;
  if (load === undefined) throw notForked(`${agent ?? 'its agent'} has no way to do it`);
  return load();
}

/** The folder of a conversation as an agent keeps it, where that is in the project; otherwise the project. */
export function folderOf(folder: unknown, project: string): string {
  const isInside = typeof folder === 'string' && `${folder}/`.startsWith(`${project}/`);
  return isInside ? folder : project;
}

export function notForked(reason: string, cause?: unknown): SavepointError {
  return new SavepointError(
    'conversation-not-forked',
    `the conversation was not forked: ${reason}`,
    { cause, hint: 'without --conversation the files alone go back' },
  );
}

export type Row = Readonly<Record<string, unknown>>;
const ROW: Kind<Row> = recordOf(unchecked<unknown>());

/** The lines of a conversation that an agent keeps, as they are, with the values that they hold. */
export interface Line {
  readonly text: string;
  /** Null for a line that is not an object. */
  readonly row: Row | null;
}

const MAX_BYTES = 512 * 1024 * 1024;

/** Throws where the file is gone or too large. */
export function readTranscript(path: string | null): Line[] {
  const bytes = path === null ? null : readFileOrNull(path, { maxBytes: MAX_BYTES });
  if (bytes === null) throw notForked('the agent no longer has it');
  const lines = bytes.toString('utf8').split('\n');
  return lines.filter((text) => text !== '').map((text) => ({ text, row: parseJson(ROW, text) }));
}
