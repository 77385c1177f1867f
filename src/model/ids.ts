declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Names one checkpoint; random, so that it can be shortened to its first characters. */
export type CheckpointId = Brand<string, 'CheckpointId'>;
/** Names one entry of the operation log. */
export type OperationId = Brand<string, 'OperationId'>;
/** SHA-256 of some bytes, 64 lower-case hexadecimal digits. */
export type BlobId = Brand<string, 'BlobId'>;
/** SHA-256 over a part of a document and the parts that it holds, 64 lower-case hexadecimal digits. */
export type PartId = Brand<string, 'PartId'>;
/**
 * Place in a project's timeline. Checkpoints, changes, operations, both ends of windows and the baseline draw
 * from one sequence, so that their order never depends on a clock.
 */
export type Seq = number;

export const HASH: RegExp = /^[0-9a-f]{64}$/;

export function isBlobId(text: string): text is BlobId {
  return HASH.test(text);
}
