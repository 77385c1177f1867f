/** Bytes of git's that are not what they should be. Never leaves this folder. */
export class Damaged extends Error {}

/** Larger objects are not read: a claim about a size is all that a few hostile bytes need. */
export const MAX_OBJECT_BYTES: number = 256 * 1024 * 1024;

export function requireSize(size: number): number {
  if (size > MAX_OBJECT_BYTES) throw new Damaged('an object that is too large');
  return size;
}

/** Whether reading stumbled over the bytes; everything else (a failing disk, no memory) is trouble. */
export function isDamage(error: unknown): boolean {
  if (error instanceof Damaged) return true;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return code === 'ENOENT' || code === 'ERR_BUFFER_TOO_LARGE' || code.startsWith('Z_');
}
