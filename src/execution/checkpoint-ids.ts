/** The id of a step's latest attempt. */
export function checkpointId(executionId: string, stepIndex: number): string {
  return `ckpt-${executionId}-${stepIndex}`;
}

/**
 * The id under which an attempt is kept when there is more than one. It does not end in `-` and digits, as
 * that of a latest attempt does, and so is never that of a step of another execution.
 */
export function attemptId(executionId: string, stepIndex: number, attempt: number): string {
  return `${checkpointId(executionId, stepIndex)}.attempt${attempt}`;
}

/** Whether an id is that of an attempt at the step whose latest attempt has the other. */
export function isAttemptAt(latestId: string, id: string): boolean {
  const prefix = `${latestId}.attempt`;
  return id.startsWith(prefix) && /^\d+$/.test(id.slice(prefix.length));
}

/**
 * Whether it is worth while to look at what is stored under an id: ours begin with their execution's. Whose
 * it is, only the stored execution id says: `ckpt-exec-1-2-3` is of `exec-1-2` and begins like one of
 * `exec-1`.
 */
export function mayBeOf(executionId: string, id: string): boolean {
  return !id.startsWith('ckpt-') || id.startsWith(`ckpt-${executionId}-`);
}
