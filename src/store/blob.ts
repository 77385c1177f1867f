import { hash } from 'node:crypto';
import type { BlobId } from '../model/ids.ts';
import type { Blob } from './store.ts';

export function hashBytes(bytes: Uint8Array): BlobId {
  return hash('sha256', bytes, 'hex') as BlobId;
}

export function blobOf(bytes: Uint8Array): Blob {
  return { id: hashBytes(bytes), bytes };
}
