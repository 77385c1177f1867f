import { randomBytes } from 'node:crypto';
import type { CheckpointId, OperationId } from '../model/ids.ts';

// 32 characters without look-alikes (0 and o, 1 and l), because people read ids aloud and type them.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 16;

/** The form of the ids of checkpoints and operations. None looks like `latest` or `~1`. */
export const RANDOM_ID: RegExp = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

export function newCheckpointId(): CheckpointId {
  return randomName() as CheckpointId;
}

export function newOperationId(): OperationId {
  return randomName() as OperationId;
}

export function newWindowId(): string {
  return randomName();
}

function randomName(): string {
  let name = '';
  for (const byte of randomBytes(LENGTH)) name += ALPHABET[byte % ALPHABET.length];
  return name;
}
