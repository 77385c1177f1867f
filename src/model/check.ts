import { SavepointError } from './errors.ts';

/** How long a description can be. */
export const MAX_TEXT = 100_000;
const MAX_ID = 1_024;

/** An id that a caller made up: some text, of bearable length, that can be stored and found again. */
export function checkId(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_ID) {
    throw new SavepointError(
      'argument-invalid',
      `${name} must be a text of 1 to ${MAX_ID} characters`,
    );
  }
  if (value.includes('\0') || !value.isWellFormed()) {
    throw new SavepointError('argument-invalid', `${name} must not hold NUL or broken Unicode`);
  }
  return value;
}

/** Free text from outside, such as a description: shortened rather than refused. */
export function clipText(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\ufffd').slice(0, MAX_TEXT);
}
