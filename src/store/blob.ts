import { hash, randomBytes } from 'node:crypto';
import type { BlobId } from '../model/ids.ts';
import type { Journal } from '../model/journal.ts';
import type { Baseline } from '../model/manifest.ts';
import type { Blob } from './store.ts';

export function hashBytes(bytes: Uint8Array): BlobId {
  return hash('sha256', bytes, 'hex') as BlobId;
}

export function blobOf(bytes: Uint8Array): Blob {
  return { id: hashBytes(bytes), bytes };
}

/** The blobs that a baseline and an unfinished restore need. */
export function blobsNeededBy(baseline: Baseline | null, journal: Journal | null): BlobId[] {
  const { steps = [], changes = [] } = journal ?? {};
  const states = [
    ...steps.flatMap(({ from, to }) => [from, to]),
    ...changes.flatMap(({ before, after }) => [before, after]),
  ];
  const blobs = states.map((state) => (state?.kind === 'captured' ? state.blob : null));
  return [...blobs, baseline?.manifest ?? null].filter((id) => id !== null);
}

const PACK_NAME = /^[0-9a-f]{32}$/;

/** Random, so that nobody has to look which names are taken. */
export function newPackName(): string {
  return randomBytes(16).toString('hex');
}

export function isPackName(text: string): boolean {
  return PACK_NAME.test(text);
}
