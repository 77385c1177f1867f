import { type ErrorCode, isSavepointError } from '../../index.ts';
import type { AgentFiles } from '../files/agent-files.ts';
import type { CommandContext } from './command.ts';
import { oneLine } from './one-line.ts';

/** Why a command does nothing, said to the person as it stands: nothing failed, and nothing was mistyped. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

/** For what must not happen under an agent that is writing files or answering. */
export function idleOnly({ agent }: CommandContext): void {
  if (agent.isBusy) {
    throw new CommandRefused('The agent is at work; press Esc once to interrupt it first.');
  }
}

export function engineOf({ files }: CommandContext): AgentFiles {
  if (files !== null) return files;
  throw new CommandRefused('Files are not on record here, so there is nothing to go back to.');
}

/** What the engine refuses because of what was typed, or what has not happened yet, is no failure. */
export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const sentence = isSavepointError(error) ? SENTENCES[error.code] : undefined;
    throw sentence === undefined ? error : new CommandRefused(sentence(oneLine(error)));
  }
}

const asItSays = (message: string): string => message;
const seeList = (message: string): string => `${message}; see /checkpoint list`;

const SENTENCES: Partial<Record<ErrorCode, (message: string) => string>> = {
  'nothing-to-undo': () => 'There is nothing to undo.',
  'nothing-to-redo': () => 'There is nothing to redo.',
  'checkpoint-not-found': seeList,
  'checkpoint-ambiguous': seeList,
  'argument-invalid': asItSays,
  'session-not-found': () => 'Nothing is on record of this conversation yet.',
};
