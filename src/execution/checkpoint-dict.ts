import { SavepointError } from '../model/errors.ts';
import { aText, type Check, nullable, oneOf, optional, type Shape, wrong } from '../model/shape.ts';

export type CheckpointStatus = 'success' | 'failed' | 'pending';

/** An object of plain data, with any values that can be stored. */
export type Fields = Readonly<Record<string, unknown>>;

/** The form in which a checkpoint is stored, and that programs in other languages read. */
export interface CheckpointDict {
  readonly id: string;
  readonly execution_id: string;
  readonly step_name: string;
  readonly step_index: number;
  /** ISO 8601. Without a zone it is local time, as Python writes it. */
  readonly timestamp: string;
  readonly state: Fields;
  readonly context: Fields;
  readonly variables: Fields;
  readonly status?: CheckpointStatus | undefined;
  readonly error?: string | null | undefined;
  readonly metadata?: Fields | undefined;
}

export const aName: Check = (name, value) => {
  if (typeof value !== 'string' || value === '') throw wrong(name, 'a text that is not empty');
};

export const anIndex: Check = (name, value) => {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw wrong(name, 'a whole number from 0');
};

export const someFields: Check = (name, value) => {
  if (typeof value !== 'object' || value === null) throw wrong(name, 'an object');
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw wrong(name, 'a plain object');
};

export const aStatus: Check = oneOf('success', 'failed', 'pending');

const aTime: Check = (name, value) => {
  const isTime = typeof value === 'string' && !Number.isNaN(readTimestamp(value).getTime());
  if (!isTime) throw wrong(name, 'a time in ISO 8601');
};

const SHAPE: Shape<CheckpointDict> = {
  id: aName,
  execution_id: aName,
  step_name: aText,
  step_index: anIndex,
  timestamp: aTime,
  state: someFields,
  context: someFields,
  variables: someFields,
  status: optional(aStatus),
  error: optional(nullable(aText)),
  metadata: optional(someFields),
};

/** Throws `checkpoint-invalid` with the first field that is wrong. */
export function checkDict(data: unknown): CheckpointDict {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new SavepointError('checkpoint-invalid', 'a checkpoint must be a dictionary');
  }
  for (const [field, check] of Object.entries<Check>(SHAPE)) {
    checkField(field, (data as Record<string, unknown>)[field], check);
  }
  return data as CheckpointDict;
}

function checkField(field: string, value: unknown, check: Check): void {
  try {
    check(field, value);
  } catch (cause) {
    const { message } = cause as Error;
    throw new SavepointError('checkpoint-invalid', message, { path: field, cause });
  }
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)[T ]/;
const TIME = /^\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/;

/** An invalid date for what is no time. Python writes six digits of a second, of which a Date has three. */
export function readTimestamp(text: string): Date {
  const [day, year, month, date] = DAY.exec(text) ?? [];
  const time = text.slice(day?.length ?? 0);
  if (day === undefined || !TIME.test(time)) return new Date(Number.NaN);
  // JavaScript takes the 30th of February for the 1st of March.
  const real = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  if (real.getUTCDate() !== Number(date)) return new Date(Number.NaN);
  return new Date(`${year}-${month}-${date}T${time}`);
}
