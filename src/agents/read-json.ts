import { type ReadOptions, readFileOrNull } from '../fs/read-file.ts';
import { accepts, type Kind } from '../model/check.ts';

/** The value that a JSON text holds; null for any other text, and for a value of another kind. */
export function parseJson<T>(kind: Kind<T>, text: string): T | null {
  try {
    const value: unknown = JSON.parse(text);
    return accepts(kind, value) ? value : null;
  } catch {
    return null;
  }
}

/** As `parseJson`, for a file. Null also where it cannot be read. */
export function readJson<T>(kind: Kind<T>, file: string, options: ReadOptions): T | null {
  const bytes = readFileOrNull(file, options);
  return bytes === null ? null : parseJson(kind, String(bytes));
}
