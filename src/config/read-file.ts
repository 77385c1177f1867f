import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { SavepointError } from '../index.ts';

const MAX_BYTES = 1024 * 1024;
const { O_RDONLY, O_NONBLOCK } = constants;

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
  let descriptor: number;
  try {
    // O_NONBLOCK: what a project puts here may be a FIFO, and opening that must not hang.
    descriptor = openSync(file, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    const { code = 'no reason given' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw invalid(file, `cannot be read (${code})`);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw invalid(file, 'is no file');
    if (stats.size > MAX_BYTES) throw invalid(file, 'is too large');
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** What JSON.parse says quotes the text, and what lies there may be anything: it stays unsaid. */
function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw invalid(file, 'is not JSON');
  }
}
