import { signal } from '@preact/signals';
import type { ErrorAnswer } from '../../api.ts';
import { renamePlace } from './router.ts';

/** A refusal of the server, in the terms of `SavepointError`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly path: string | null;

  constructor(status: number, { code, message, hint, path }: ErrorBody) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint ?? null;
    this.path = path ?? null;
  }

  /** What went wrong, in these terms; in the page itself where the server did not refuse. */
  static of(error: unknown): ApiError {
    return error instanceof ApiError
      ? error
      : new ApiError(0, { code: 'page', message: String(error) });
  }
}

type ErrorBody = Pick<ErrorAnswer['error'], 'code' | 'message'> & Partial<ErrorAnswer['error']>;

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
export async function get<T>(path: string, options: CallOptions = {}): Promise<T> {
  return (await (await request(path, options)).json()) as T;
}

/** Has something done. */
export async function post<T>(path: string, body: object, options: CallOptions = {}): Promise<T> {
  return (await (await request(path, options, body)).json()) as T;
}

/** The answer as it comes: for a stream of events, and for bytes of a file. */
export async function request(
  path: string,
  { query, signal }: CallOptions = {},
  body?: object,
): Promise<Response> {
  const key = { 'x-savepoint-key': localStorage.getItem(STORED_KEY) ?? '' };
  // A form of another page cannot send JSON.
  const json = { 'content-type': 'application/json' };
  const sent: RequestInit =
    body === undefined
      ? { headers: key }
      : { method: 'POST', headers: { ...key, ...json }, body: JSON.stringify(body) };
  let response: Response;
  try {
    const limit = signal === undefined ? {} : { signal };
    response = await fetch(`${path}${queryOf(query)}`, { ...sent, ...limit, cache: 'no-store' });
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
  const answer = (await response.json().catch(() => null)) as Partial<ErrorAnswer> | null;
  const message = `the server answered ${response.status}`;
  throw new ApiError(response.status, answer?.error ?? { code: 'unexpected', message });
}

function queryOf(query: CallOptions['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search.size === 0 ? '' : `?${search}`;
}
