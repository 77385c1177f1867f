import { readFile } from '../fs/read-file.ts';
import { SavepointError } from '../index.ts';

const MAX_BYTES = 1024 * 1024;

/** The values of a JSON file, by their names; null where there is no such file. Throws `config-invalid`. */
export function readJsonFile(file: string): ReadonlyMap<string, unknown> | null {
  const text = readText(file);
  return text === null ? null : valuesOf(file, parsed(file, text));
}

/** An object of a configuration, as a map: names such as `__proto__` are names like any others. */
export function valuesOf(file: string, value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(file, 'must hold an object with settings');
  }
  return new Map(Object.entries(value));
}

export function invalid(file: string, problem: string, details?: unknown): SavepointError {
  return new SavepointError('config-invalid', `${file}: ${problem}`, { path: file, details });
}

function readText(file: string): string | null {
  const read = readFile(file, { followLink: true, maxBytes: MAX_BYTES });
  if (read.bytes !== null) return read.bytes.toString();
  if (read.why === 'missing') return null;
  if (read.why === 'too-large') throw invalid(file, 'is too large');
  if (read.cause === undefined) throw invalid(file, 'is no file');
  throw invalid(file, `cannot be read (${read.cause.code})`);
}

/** What JSON.parse says quotes the text, and what lies there may be anything: it stays unsaid. */
function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw invalid(file, 'is not JSON');
  }
}
