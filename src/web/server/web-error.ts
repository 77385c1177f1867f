import { displayText, type ErrorCode, isSavepointError } from '../../index.ts';
import type { ErrorAnswer, WebErrorCode } from '../api.ts';

type Status = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 500 | 503 | 507;

/** A refusal of the server itself, with its status. */
export class WebError extends Error {
  override readonly name = 'WebError';
  readonly status: Status;
  readonly code: WebErrorCode;
  readonly hint: string | null;

  constructor(status: Status, code: WebErrorCode, message: string, hint: string | null = null) {
    super(displayText(message));
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** The status and the JSON of any error. What nobody expected says nothing of the inside. */
export function errorAnswer(error: unknown): { status: Status; body: ErrorAnswer } {
  if (error instanceof WebError) {
    const { status, code, message, hint } = error;
    return { status, body: { error: { code, message, path: null, hint } } };
  }
  if (isSavepointError(error)) {
    const { code, message, path, hint } = error;
    const shown = path === undefined ? null : displayText(path);
    const body = { error: { code, message, path: shown, hint: hint ?? null } };
    return { status: STATUS[code] ?? statusByName(code), body };
  }
  const message = 'something went wrong that nobody expected';
  const hint = 'look at the terminal in which `savepoint web` runs';
  return { status: 500, body: { error: { code: 'unexpected', message, path: null, hint } } };
}

const STATUS: Partial<Record<ErrorCode, Status>> = {
  'argument-invalid': 400,
  'path-invalid': 400,
  'path-escapes-root': 400,
  'file-missing': 404,
  'store-missing': 404,
  'project-missing': 404,
  'store-on-server': 409,
  'store-locked': 503,
  'store-unreachable': 503,
  'store-full': 507,
  'plan-stale': 409,
  'hunk-not-found': 409,
  conflicts: 409,
  'session-busy': 409,
  'nothing-to-undo': 409,
  'nothing-to-redo': 409,
  'run-unrecorded': 409,
  'execution-busy': 409,
  'execution-lost': 409,
  'execution-exists': 409,
  'execution-effects': 409,
  'execution-files-changed': 409,
  'project-mismatch': 409,
  'not-covered': 409,
};

function statusByName(code: ErrorCode): Status {
  if (code.endsWith('-not-found') || code.endsWith('-missing')) return 404;
  return code.endsWith('-ambiguous') ? 400 : 500;
}
