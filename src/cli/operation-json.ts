import type { Operation } from '../index.ts';

/** An operation as programs see it, in every command. */
export function operationJson(operation: Operation, takenBackBy: string | null): object {
  const { id, seq, kind, description, checkpointId, reverts, inEffect } = operation;
  const { safetyCheckpointId } = operation;
  const createdAt = new Date(operation.createdAt).toISOString();
  const target = { checkpointId, safetyCheckpointId };
  return { id, seq, kind, description, createdAt, ...target, reverts, inEffect, takenBackBy };
}

/** The operation that took this one back and is in effect itself; of a list with the newest first. */
export function takenBackBy(operation: Operation, log: readonly Operation[]): Operation | null {
  if (operation.inEffect) return null;
  return log.find((other) => other.reverts === operation.id && other.inEffect) ?? null;
}
