import type { CheckpointMetadata } from './checkpoint-metadata.ts';

const LONGEST_ID = 200;
const LONGEST_DESCRIPTION = 10_000;

/** What a `metadata.json` holds, and whether all of it could be understood. */
export interface MetadataRead {
  readonly checkpoints: readonly CheckpointMetadata[];
  readonly isWhole: boolean;
}

/** Keeps every entry that is valid; newest first, an id once. */
export function parseMetadata(text: string): MetadataRead {
  const entries = entriesOf(text);
  if (entries === null) return { checkpoints: [], isWhole: false };
  const valid = entries.flatMap((entry) => checkpointOf(entry) ?? []);
  const sorted = valid.toSorted((a, b) => b.timestamp.getTime() - a.timestamp.getTime());
  const byId = new Map<string, CheckpointMetadata>();
  for (const one of sorted) if (!byId.has(one.id)) byId.set(one.id, one);
  return { checkpoints: [...byId.values()], isWhole: valid.length === entries.length };
}

export function formatMetadata(checkpoints: readonly CheckpointMetadata[]): string {
  const entries = checkpoints.map(({ id, timestamp, description, sessionId }) => ({
    id,
    timestamp: timestamp.toISOString(),
    description,
    sessionId,
  }));
  return `${JSON.stringify({ checkpoints: entries }, null, 2)}\n`;
}

function entriesOf(text: string): readonly unknown[] | null {
  try {
    const entries = own(JSON.parse(text), 'checkpoints');
    return Array.isArray(entries) ? entries : null;
  } catch {
    return null;
  }
}

function checkpointOf(entry: unknown): CheckpointMetadata | null {
  const id = own(entry, 'id');
  const description = own(entry, 'description');
  const sessionId = own(entry, 'sessionId');
  const timestamp = dateOf(own(entry, 'timestamp'));
  if (!isText(id, LONGEST_ID) || !isText(sessionId, LONGEST_ID) || timestamp === null) return null;
  if (typeof description !== 'string' || description.length > LONGEST_DESCRIPTION) return null;
  return { id, timestamp, description, sessionId };
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}

// Only a full date and time: `Date` would also take "1" or a name of a month.
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function dateOf(value: unknown): Date | null {
  if (typeof value !== 'string' || !ISO.test(value)) return null;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Own properties only: what a file leaves out must not be answered by a prototype. */
function own(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
    ? (holder as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
