import type { LineCount, ListedCheckpoint } from '../index.ts';

/** A checkpoint as programs see it, in every command; with its lines where they were asked for. */
export function checkpointJson(checkpoint: ListedCheckpoint, lines?: LineCount): object {
  const { id, seq, sessionId, agent, messageId, kind, description, label, files } = checkpoint;
  const createdAt = new Date(checkpoint.createdAt).toISOString();
  const listed = {
    id,
    seq,
    sessionId,
    agent,
    messageId,
    kind,
    description,
    label,
    createdAt,
    files,
  };
  return lines === undefined ? listed : { ...listed, ...lines };
}
