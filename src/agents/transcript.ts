import { readFileOrNull } from '../fs/read-file.ts';
import { notForked } from './fork-conversation.ts';

export type Row = Readonly<Record<string, unknown>>;

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
  return lines.filter((text) => text !== '').map((text) => ({ text, row: rowOf(text) }));
}

function rowOf(text: string): Row | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Row)
      : null;
  } catch {
    return null;
  }
}
