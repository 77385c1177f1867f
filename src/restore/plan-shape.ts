import { isBlobId } from '../model/ids.ts';
import type { PlanAction, PlanLine, PlanNote, RewindPlan } from '../model/plan.ts';
import {
  aBoolean,
  aNumber,
  anId,
  anything,
  aText,
  type Check,
  checkShape,
  listOf,
  nullable,
  oneOf,
  optional,
  type Shape,
  shaped,
  wrong,
} from '../model/shape.ts';
import type { Captured, State, Unknown } from '../model/state.ts';

const CAPTURED: Shape<Captured> = {
  kind: anything,
  type: oneOf('file', 'symlink', 'directory'),
  // Set-id and sticky bits are never recorded, so no plan may set them.
  mode: (name, value) => {
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > 0o777) {
      throw wrong(name, 'permission bits');
    }
  },
  blob: (name, value) => {
    if (value !== null && !(typeof value === 'string' && isBlobId(value))) {
      throw wrong(name, 'a hash or null');
    }
  },
  size: aNumber,
};

const UNKNOWN: Shape<Unknown> = { kind: anything, reason: aText };

const aState: Check = (name, value) => {
  const kind = (value as State | null | undefined)?.kind;
  oneOf('absent', 'captured', 'unknown')(`${name}.kind`, kind);
  if (kind === 'captured') {
    checkShape(name, value, CAPTURED);
    const { type, blob } = value as Captured;
    if ((type === 'directory') !== (blob === null)) throw wrong(name, 'an entry with its content');
  }
  if (kind === 'unknown') checkShape(name, value, UNKNOWN);
};

const bytes: Check = (name, value) => {
  if (!(value instanceof Uint8Array)) throw wrong(name, 'bytes');
};

const ACTIONS: readonly PlanAction[] = [
  'write',
  'delete',
  'chmod',
  'link',
  'mkdir',
  'merge',
  'already-there',
  'keep',
  'conflict',
  'skip',
];

const LINE: Shape<PlanLine> = {
  path: aText,
  action: oneOf(...ACTIONS),
  expected: aState,
  target: aState,
  merged: optional(bytes),
  reason: optional(aText),
  takes: listOf(aNumber),
  takesUnrecorded: optional(aBoolean),
};

const NOTE: Shape<PlanNote> = { code: aText, message: aText, paths: optional(listOf(aText)) };

/** What a plan is made of. Whether it may be carried out is for `checkPlan` to say. */
export const PLAN: Shape<RewindPlan> = {
  kind: oneOf('rewind', 'undo', 'redo'),
  checkpointId: nullable(anId),
  reverts: nullable(anId),
  seq: aNumber,
  families: nullable(listOf(anId)),
  onConflict: nullable(oneOf('keep', 'restore', 'fail')),
  description: aText,
  lines: listOf(shaped(LINE)),
  notes: listOf(shaped(NOTE)),
};
