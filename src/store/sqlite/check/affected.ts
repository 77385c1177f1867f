import type { CheckpointId } from '../../../model/ids.ts';
import { bytesToPath, type TrackedPath } from '../../../model/path.ts';
import type { Connection } from '../connection.ts';

/** What is lost with some bytes. */
export interface Affected {
  readonly paths: readonly TrackedPath[];
  readonly checkpoints: readonly CheckpointId[];
}

// A checkpoint needs the state that a path had at it: that from which the path's next change began.
const AFFECTED = `
  SELECT DISTINCT heads.path, checkpoints.id AS checkpoint FROM (
    SELECT path, seq AS until, coalesce((SELECT max(earlier.seq) FROM changes AS earlier
      WHERE earlier.path = changes.path AND earlier.seq < changes.seq), 0) AS since
    FROM changes WHERE before_blob = ?1
    UNION ALL SELECT path, seq, seq FROM changes WHERE after_blob = ?1
    UNION ALL SELECT id, 9e15, seq FROM heads WHERE blob = ?1
  ) AS spans
  JOIN heads ON heads.id = spans.path
  LEFT JOIN checkpoints ON checkpoints.seq > spans.since AND checkpoints.seq < spans.until`;

/** By the number of a blob's row. */
export function affectedBy(connection: Connection, blob: number): Affected {
  const rows = connection.all<{ path: Uint8Array; checkpoint: CheckpointId | null }>(
    AFFECTED,
    blob,
  );
  const paths = new Set(rows.map(({ path }) => bytesToPath(path) as TrackedPath));
  const checkpoints = new Set(rows.flatMap(({ checkpoint }) => checkpoint ?? []));
  return { paths: [...paths].sort(), checkpoints: [...checkpoints] };
}
