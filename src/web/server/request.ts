import type { Context } from 'hono';
import type { NamedPath, Savepoint } from '../../index.ts';
import { anyOf, check, exact, type Kind, TEXT } from '../../model/check.ts';
import type { PathRef } from '../api.ts';
import { WebError } from './web-error.ts';

// What comes with a request, read and checked in one place.

export const PATH_REF: Kind<PathRef> = anyOf(TEXT, exact({ bytes: TEXT }));

/** The JSON of a body of at most so many bytes. Fields that `kind` does not name are refused. */
export async function bodyOf<T>(c: Context, kind: Kind<T>, maxBytes: number): Promise<T> {
  const bytes = await bytesOf(c.req.raw, maxBytes);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebError(400, 'request-invalid', 'the request is not JSON');
  }
  check(kind, 'request', value);
  return value;
}

async function bytesOf({ body, headers }: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): WebError {
  return new WebError(413, 'request-too-large', `a request has at most ${maxBytes} bytes`);
}

/** A request about a project, which is open for it. */
export interface Asked {
  readonly c: Context;
  /** Its id. */
  readonly project: string;
  readonly savepoint: Savepoint;
}

/** A part of the address. */
export function part(c: Context, name: string): string {
  return c.req.param(name) ?? '';
}

/** A part of the address that is a whole number; -1 for anything else. */
export function placeIn(c: Context, name: string): number {
  return Number(/^\d{1,15}$/.exec(part(c, name))?.[0] ?? -1);
}

/** A value of the query; undefined where it is left out or empty. */
export function wordOf(c: Context, name: string): string | undefined {
  const values = c.req.queries(name) ?? [];
  if (values.length > 1) throw new WebError(400, 'request-invalid', `${name} is there twice`);
  return values[0] === '' ? undefined : values[0];
}

/** All values of the query under one name; undefined where there is none. */
export function wordsOf(c: Context, name: string): string[] | undefined {
  const values = (c.req.queries(name) ?? []).filter((value) => value !== '');
  if (values.length > MOST_WORDS) throw new WebError(400, 'request-invalid', `too many ${name}`);
  return values.length === 0 ? undefined : values;
}

const MOST_WORDS = 200;

export function numberOf(
  c: Context,
  name: string,
  most: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const word = wordOf(c, name);
  if (word === undefined) return undefined;
  const value = /^-?\d{1,16}$/.test(word) ? Number(word) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= -1 && value <= most) return value;
  throw new WebError(400, 'request-invalid', `${name} must be a whole number up to ${most}`);
}

export function timeOf(c: Context, name: string): number | undefined {
  const word = wordOf(c, name);
  if (word === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d/.test(word) ? Date.parse(word) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new WebError(400, 'request-invalid', `${name} must be a time as 2026-01-31T14:30:00Z`);
}

/** `path=` or `pathBytes=`; undefined where there is neither. The engine refuses what leaves the project. */
export function pathIn(c: Context, name: 'path' | 'from'): NamedPath | undefined {
  const bytes = wordOf(c, `${name}Bytes`);
  return bytes === undefined ? wordOf(c, name) : namedPath({ bytes });
}

export function requiredPath(c: Context): NamedPath {
  const path = pathIn(c, 'path');
  if (path === undefined) throw new WebError(400, 'request-invalid', 'which path?');
  return path;
}

export function namedPath(ref: PathRef): NamedPath {
  return typeof ref === 'string' ? ref : new Uint8Array(Buffer.from(ref.bytes, 'base64'));
}
