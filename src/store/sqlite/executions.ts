import { SavepointError } from '../../model/errors.ts';
import type {
  Execution,
  ExecutionStatus,
  StepAttempt,
  StepEffect,
  StepStatus,
} from '../../model/execution.ts';
import type { CheckpointId, OperationId } from '../../model/ids.ts';
import type { Fence } from '../store.ts';
import type { Connection } from './connection.ts';
import { nameOf, type PartNumbers } from './parts.ts';
import { newSealSql } from './seals.ts';

interface ExecutionRow {
  readonly id: string;
  readonly session_id: string;
  readonly status: ExecutionStatus;
  readonly parent_id: string | null;
  readonly parent_step: number | null;
  readonly token: number;
  readonly owner: string | null;
  readonly lease_until: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

// Not REPLACE: that would delete the row first, and its steps with it.
const PUT = `
  INSERT INTO executions (id, session_id, status, parent_id, parent_step, token, owner, lease_until,
    created_at, updated_at, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ${newSealSql('executions')})
  ON CONFLICT (id) DO UPDATE SET session_id = excluded.session_id, status = excluded.status,
    parent_id = excluded.parent_id, parent_step = excluded.parent_step, token = excluded.token,
    owner = excluded.owner, lease_until = excluded.lease_until, created_at = excluded.created_at,
    updated_at = excluded.updated_at, seal = excluded.seal`;

export function putExecution(connection: Connection, execution: Execution): void {
  connection.run(
    PUT,
    execution.id,
    execution.sessionId,
    execution.status,
    execution.parentId,
    execution.parentStep,
    execution.token,
    execution.owner,
    execution.leaseUntil,
    execution.createdAt,
    execution.updatedAt,
  );
}

export function removeExecution(connection: Connection, id: string): void {
  connection.run('DELETE FROM executions WHERE id = ?', id);
}

/** Throws `execution-lost`. */
export function requireFence(connection: Connection, { executionId, token }: Fence): void {
  if (findExecution(connection, executionId)?.token === token) return;
  throw new SavepointError(
    'execution-lost',
    `execution ${executionId} was taken over, or given back`,
  );
}

export function findExecution(connection: Connection, id: string): Execution | null {
  const row = connection.get<ExecutionRow>('SELECT * FROM executions WHERE id = ?', id);
  return row === undefined ? null : toExecution(row);
}

export function listExecutions(connection: Connection): Execution[] {
  const sql = 'SELECT * FROM executions ORDER BY updated_at DESC, num DESC';
  return connection.all<ExecutionRow>(sql).map(toExecution);
}

function toExecution(row: ExecutionRow): Execution {
  return {
    id: row.id,
    sessionId: row.session_id,
    status: row.status,
    parentId: row.parent_id,
    parentStep: row.parent_step,
    token: row.token,
    owner: row.owner,
    leaseUntil: row.lease_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const PUT_STEP = `
  INSERT OR REPLACE INTO steps (execution, step, attempt, name, status, checkpoint_id, root, result,
    error, effects, writes, restored, rolled_back_by, started_at, ended_at, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ${newSealSql('steps')})`;

export function putStep(connection: Connection, step: StepAttempt, parts: PartNumbers): void {
  connection.run(
    PUT_STEP,
    executionNumber(connection, step.executionId),
    step.index,
    step.attempt,
    step.name,
    step.status,
    step.checkpointId,
    step.root === null ? null : parts.of(step.root),
    step.result === null ? null : parts.of(step.result),
    step.error,
    JSON.stringify(step.effects),
    step.writes === null ? null : JSON.stringify(step.writes),
    step.restored ? 1 : 0,
    step.rolledBackBy,
    step.startedAt,
    step.endedAt,
  );
}

function executionNumber(connection: Connection, id: string): number {
  const sql = 'SELECT num FROM executions WHERE id = ?';
  const row = connection.get<{ num: number }>(sql, id);
  if (row !== undefined) return row.num;
  throw new SavepointError('argument-invalid', `there is no execution ${id}`);
}

interface StepRow {
  readonly step: number;
  readonly attempt: number;
  readonly name: string;
  readonly status: StepStatus;
  readonly checkpoint_id: string | null;
  readonly root: number | null;
  readonly hash: Uint8Array | null;
  readonly result: number | null;
  readonly result_hash: Uint8Array | null;
  readonly error: string | null;
  readonly effects: string;
  readonly writes: string | null;
  readonly restored: number;
  readonly rolled_back_by: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
}

const STEPS = `
  SELECT steps.*, (SELECT hash FROM parts WHERE parts.id = steps.root) AS hash,
    (SELECT hash FROM parts WHERE parts.id = steps.result) AS result_hash
  FROM steps WHERE execution = (SELECT num FROM executions WHERE id = ?)`;
const NO_HASH = new Uint8Array(32);

export function listSteps(
  connection: Connection,
  executionId: string,
  index?: number,
): StepAttempt[] {
  const rows =
    index === undefined
      ? connection.all<StepRow>(`${STEPS} ORDER BY step, attempt`, executionId)
      : connection.all<StepRow>(`${STEPS} AND step = ? ORDER BY attempt`, executionId, index);
  return rows.map((row) => toStep(executionId, row));
}

function toStep(executionId: string, row: StepRow): StepAttempt {
  return {
    executionId,
    index: row.step,
    attempt: row.attempt,
    name: row.name,
    status: row.status,
    checkpointId: row.checkpoint_id as CheckpointId | null,
    root: row.root === null ? null : nameOf(row.hash ?? NO_HASH),
    result: row.result === null ? null : nameOf(row.result_hash ?? NO_HASH),
    error: row.error,
    effects: JSON.parse(row.effects) as StepEffect[],
    writes: row.writes === null ? null : (JSON.parse(row.writes) as string[]),
    restored: row.restored === 1,
    rolledBackBy: row.rolled_back_by as OperationId | null,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
