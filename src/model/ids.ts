declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Names one checkpoint; random, so that it can be shortened to its first characters. */
export type CheckpointId = Brand<string, 'CheckpointId'>;
/** Names one entry of the operation log. */
export type OperationId = Brand<string, 'OperationId'>;
/** SHA-256 of some bytes, 64 lower-case hexadecimal digits. */
export type BlobId = Brand<string, 'BlobId'>;
/**
 * Place in a project's timeline. Checkpoints, changes, operations and the ends of windows draw from one
 * sequence, so that their order never depends on a clock.
 */
export type Seq = number;

const BLOB_ID = /^[0-9a-f]{64}$/;

export function isBlobId(text: string): text is BlobId {
  return BLOB_ID.test(text);
}
