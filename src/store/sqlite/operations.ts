import type { CheckpointId, OperationId } from '../../model/ids.ts';
import type { Operation, OperationKind } from '../../model/operation.ts';
import type { Connection } from './connection.ts';
import { limitOf } from './parameters.ts';
import { newSealSql } from './seals.ts';

interface OperationRow {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly checkpoint_id: string | null;
  readonly reverts: string | null;
  readonly in_effect: number;
  readonly safety_checkpoint_id: string;
  readonly description: string;
  readonly created_at: number;
}

const PUT = `
  INSERT INTO operations
    (seq, id, kind, checkpoint_id, reverts, in_effect, safety_checkpoint_id, description, created_at,
    seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ${newSealSql('operations')})
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, kind = excluded.kind,
    checkpoint_id = excluded.checkpoint_id, reverts = excluded.reverts,
    in_effect = excluded.in_effect, safety_checkpoint_id = excluded.safety_checkpoint_id,
    description = excluded.description, created_at = excluded.created_at, seal = excluded.seal`;

export function putOperation(connection: Connection, operation: Operation): void {
  connection.run(
    PUT,
    operation.seq,
    operation.id,
    operation.kind,
    operation.checkpointId,
    operation.reverts,
    operation.inEffect ? 1 : 0,
    operation.safetyCheckpointId,
    operation.description,
    operation.createdAt,
  );
}

export function removeOperation(connection: Connection, id: OperationId): void {
  connection.run('DELETE FROM operations WHERE id = ?', id);
}

export function findOperation(connection: Connection, id: OperationId): Operation | null {
  const row = connection.get<OperationRow>('SELECT * FROM operations WHERE id = ?', id);
  return row === undefined ? null : toOperation(row);
}

export function listOperations(connection: Connection, limit?: number): readonly Operation[] {
  const sql = 'SELECT * FROM operations ORDER BY seq DESC LIMIT ?';
  return connection.all<OperationRow>(sql, limitOf(limit)).map(toOperation);
}

function toOperation(row: OperationRow): Operation {
  return {
    id: row.id as OperationId,
    seq: row.seq,
    kind: row.kind as OperationKind,
    checkpointId: row.checkpoint_id as CheckpointId | null,
    reverts: row.reverts as OperationId | null,
    inEffect: row.in_effect === 1,
    safetyCheckpointId: row.safety_checkpoint_id as CheckpointId,
    description: row.description,
    createdAt: row.created_at,
  };
}
