import { randomBytes } from 'node:crypto';

const PACK_NAME = /^[0-9a-f]{32}$/;

/** Random, so that nobody has to look which names are taken. */
export function newPackName(): string {
  return randomBytes(16).toString('hex');
}

export function isPackName(text: string): boolean {
  return PACK_NAME.test(text);
}
