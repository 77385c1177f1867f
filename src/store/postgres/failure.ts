import { type ErrorCode, SavepointError } from '../../model/errors.ts';

// By the class of an SQLSTATE, which is its first two signs, or by the whole of it.
const SQL_STATES: Readonly<Record<string, ErrorCode>> = {
  '08': 'store-unreachable',
  '22': 'argument-invalid',
  '23': 'argument-invalid',
  25006: 'store-read-only',
  '28': 'store-unreachable',
  '3D': 'store-unreachable',
  '40': 'store-locked',
  42501: 'store-failed',
  '42P01': 'store-corrupt',
  53100: 'store-full',
  53300: 'store-unreachable',
  '55P03': 'store-locked',
  '57P': 'store-unreachable',
  XX001: 'store-corrupt',
  XX002: 'store-corrupt',
};

const HINTS: Partial<Record<ErrorCode, string>> = {
  'store-locked': 'another process is writing; try again when it has finished',
  'store-read-only': 'nothing was written; the server takes no writes, or the role may not write',
  'store-full': 'free some space on the disk of the server; nothing of this was kept',
  'store-unreachable': 'nothing is half done; start the server or mend the URL, and try again',
  'argument-invalid': 'the batch contradicts the timeline: a used number or an unknown session',
};

const NO_RIGHT = '42501';
const HINT_ON_RIGHTS =
  'the role may not do this; docs/postgres.md says what it needs, and how its operator gives it';

// The CHECK of the column, by the name that PostgreSQL gives it.
const NUMBERS_USED_UP = 'tenants_last_check';

interface ServerError {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly severity?: unknown;
  readonly message: string;
}

/**
 * What a failure of the server or of the connection means to a caller. The error of `pg` goes no further: it can
 * hold the client, and with it the password.
 */
export function serverFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  if ((error as ServerError | null)?.constraint === NUMBERS_USED_UP) return numbersUsedUp();
  const code = codeOf(error);
  const { message, code: state } = error as ServerError;
  const reason = message === '' || message === undefined ? String(state) : message;
  const cause = Object.assign(new Error(reason), { code: state });
  const hint = state === NO_RIGHT ? HINT_ON_RIGHTS : HINTS[code];
  return new SavepointError(code, `the database failed: ${reason}`, { cause, hint });
}

function numbersUsedUp(): SavepointError {
  const message = 'this role has used up its numbers for projects and worktrees on the server';
  return new SavepointError('store-full', message, {
    hint: 'nothing was made; connect with another role, or name another schema',
  });
}

/** Whether the connection is gone, or never was: nothing else is known about what was asked. */
export function isUnreachable(error: unknown): boolean {
  return codeOf(error) === 'store-unreachable';
}

const REFUSALS = {
  /** The server has cancelled a statement because it was told to. */
  cancelled: '57014',
  /** A statement before it, in the same transaction, has failed. */
  aborted: '25P02',
  'unknown table': '42P01',
} as const;

/** Whether the server refused a statement for this reason. */
export function isRefused(error: unknown, why: keyof typeof REFUSALS): boolean {
  return (error as ServerError | null)?.code === REFUSALS[why];
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof SavepointError) return error.code;
  if (!(error instanceof Error)) return 'store-failed';
  const { code, severity } = error as ServerError;
  // Of the server, errors have a severity. All others of `pg` are about the connection; bugs of ours are not.
  if (severity === undefined) {
    const isOurs = error instanceof TypeError || error instanceof RangeError;
    return isOurs ? 'store-failed' : 'store-unreachable';
  }
  const state = String(code);
  return (
    SQL_STATES[state] ??
    SQL_STATES[state.slice(0, 3)] ??
    SQL_STATES[state.slice(0, 2)] ??
    'store-failed'
  );
}
