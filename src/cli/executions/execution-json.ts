import type { KnownExecution } from '../../execution/index.ts';

/** One execution, for programs. */
export function executionJson(execution: KnownExecution): object {
  const { id, kind, status, done, last, updatedAt, holder } = execution;
  return { id, kind, status, done, last, updatedAt: timeJson(updatedAt), holder };
}

export function timeJson(time: number): string {
  return new Date(time).toISOString();
}
