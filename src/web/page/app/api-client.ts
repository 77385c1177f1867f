import { signal } from '@preact/signals';
import { renamePlace } from './router.ts';

/** A refusal of the server, in the terms of `SavepointError`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly path: string | null;

  /** The whole answer: with `plan-stale`, the new plan is in it. */
  readonly answer: unknown;

  constructor(status: number, error: ErrorBody, answer: unknown = null) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.hint = error.hint ?? null;
    this.path = error.path ?? null;
    this.answer = answer;
  }
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | null;
  readonly path?: string | null;
}

export interface CallOptions {
  readonly query?: Readonly<
    Record<string, string | number | boolean | readonly string[] | undefined>
  >;
  readonly signal?: AbortSignal;
}

const STORED_KEY = 'savepoint.key';

/** `refused`: the server is another one than the one that gave the key, or it never gave any. */
export const access = signal<'given' | 'missing' | 'refused'>(
  localStorage.getItem(STORED_KEY) === null ? 'missing' : 'given',
);

/** Takes the one-time token out of the address, and gets the key for it. Whether there was one. */
export async function redeemToken(): Promise<boolean> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return false;
  renamePlace({ view: 'home' });
  const response = await fetch('/api/key', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (!response.ok) {
    access.value = localStorage.getItem(STORED_KEY) === null ? 'refused' : access.value;
    return true;
  }
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(STORED_KEY, key);
  access.value = 'given';
  return true;
}

/** Asks for something. Nothing changes by it. */
export function get<T>(path: string, options: CallOptions = {}): Promise<T> {
  return answered<T>(request('GET', path, options));
}

/** Has something done. */
export function post<T>(path: string, body: unknown, options: CallOptions = {}): Promise<T> {
  return answered<T>(request('POST', path, options, body));
}

/** The answer as it comes: for a stream of events, and for bytes of a file. */
export function request(
  method: 'GET' | 'POST',
  path: string,
  options: CallOptions = {},
  body?: unknown,
): Promise<Response> {
  const headers = new Headers({ 'x-savepoint-key': localStorage.getItem(STORED_KEY) ?? '' });
  // A form of another page cannot send JSON.
  if (method === 'POST') headers.set('content-type', 'application/json');
  return checked(
    fetch(`${path}${queryOf(options.query)}`, {
      method,
      headers,
      cache: 'no-store',
      ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }),
  );
}

async function answered<T>(response: Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

async function checked(pending: Promise<Response>): Promise<Response> {
  let response: Response;
  try {
    response = await pending;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, {
      code: 'server-away',
      message: 'the server of this page does not answer',
      hint: 'it ended with the terminal that it ran in: type `savepoint web` again',
    });
  }
  if (response.ok) return response;
  if (response.status === 401) access.value = 'refused';
  const answer = (await response.json().catch(() => null)) as { error?: ErrorBody } | null;
  const error = answer?.error ?? {
    code: 'unexpected',
    message: `the server answered ${response.status}`,
  };
  throw new ApiError(response.status, error, answer);
}

function queryOf(query: CallOptions['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search.size === 0 ? '' : `?${search}`;
}
