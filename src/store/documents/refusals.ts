import { SavepointError } from '../../model/errors.ts';

/** There is a document, and it cannot be read back. */
export function documentCorrupt(path: string, reason: string, cause?: unknown): SavepointError {
  return new SavepointError('document-corrupt', `a document cannot be read back: ${reason}`, {
    path,
    hint: 'the others are as they were; mend it, or delete it by its key',
    cause,
  });
}

export function documentExists(category: string, key: string): SavepointError {
  const message = `the category ${category} has something under the key ${key} already`;
  return new SavepointError('document-exists', message);
}

/** Types end where a caller is not compiled with ours. */
export function checkText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new SavepointError('argument-invalid', `${name} must be a text`);
}

/** `load` says with null that there is nothing. */
export function checkData(data: unknown): void {
  if (data !== null && data !== undefined) return;
  const hint = 'wrap it in an object';
  throw new SavepointError('argument-invalid', `data must not be ${data}`, { hint });
}
