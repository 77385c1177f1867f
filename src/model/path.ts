import { SavepointError } from './errors.ts';

declare const brand: unique symbol;

/**
 * A path below the project root: components joined by "/", none of them empty, "." or "..".
 *
 * File names are bytes. Bytes that are not UTF-8 are carried as lone surrogates U+DC80 to U+DCFF, one
 * for each byte, so every byte string has exactly one text and every text here exactly one byte string.
 */
export type RelativePath = string & { readonly [brand]: 'RelativePath' };
/** An absolute path outside the project, which a tool named. Listed; restored only by name. */
export type OutsidePath = string & { readonly [brand]: 'OutsidePath' };
export type TrackedPath = RelativePath | OutsidePath;

const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

/** The one place where something from outside becomes a path of the project. */
export function relativePath(input: string | Uint8Array): RelativePath {
  const text = pathText(input);
  if (text.startsWith('/')) {
    throw new SavepointError('path-escapes-root', 'expected a path relative to the project', {
      path: text,
      hint: 'leave out the leading "/"',
    });
  }
  return joinChecked(text, '') as RelativePath;
}

/** As `relativePath`, for a place outside the project. */
export function outsidePath(input: string | Uint8Array): OutsidePath {
  const text = pathText(input);
  if (!text.startsWith('/')) {
    throw new SavepointError('path-invalid', 'expected an absolute path', { path: text });
  }
  return joinChecked(text, '/') as OutsidePath;
}

/** A path as a caller chooses it among tracked ones: relative, or absolute and then put in relation. */
export function selectedPath(projectRoot: string, input: string | Uint8Array): TrackedPath {
  const text = pathText(input);
  if (!text.startsWith('/')) return relativePath(input);
  const prefix = `${projectRoot}/`;
  return text.startsWith(prefix)
    ? relativePath(pathToBytes(text.slice(prefix.length)))
    : outsidePath(input);
}

export function isOutside(path: TrackedPath): path is OutsidePath {
  return path.startsWith('/');
}

/** The folders above a path, outermost first; the root itself is not among them. */
export function ancestors(path: TrackedPath): TrackedPath[] {
  const found: TrackedPath[] = [];
  for (let slash = path.indexOf('/', 1); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    found.push(path.slice(0, slash) as TrackedPath);
  }
  return found;
}

export function parentOf(path: TrackedPath): TrackedPath | null {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? null : (path.slice(0, slash) as TrackedPath);
}

export function nameOf(path: TrackedPath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function isBelow(path: TrackedPath, folder: TrackedPath): boolean {
  return path.length > folder.length && path.startsWith(folder) && path[folder.length] === '/';
}

/** A name found by reading a folder, added to that folder's path. `folder` null means the root. */
export function childOf(folder: TrackedPath | null, name: string): TrackedPath {
  return (folder === null ? name : `${folder}/${name}`) as TrackedPath;
}

/** Checks a path that a caller passed, text or bytes, and gives its text. */
export function pathText(input: string | Uint8Array): string {
  if (typeof input !== 'string' && !(input instanceof Uint8Array)) {
    throw new SavepointError('argument-invalid', 'a path must be a string or bytes');
  }
  // Said early: walking a path costs the square of its length. No text has fewer bytes than units.
  if (input.length > MAX_PATH_BYTES) throw new SavepointError('path-invalid', 'a path is too long');
  if (typeof input !== 'string') return checkText(bytesToPath(input));
  // A lone surrogate in a caller's string is not a byte that we escaped, but broken text: the file
  // system would store a replacement character and we would watch another file.
  if (!input.isWellFormed()) {
    throw new SavepointError('path-invalid', 'a path holds broken Unicode', {
      hint: 'pass names that are not UTF-8 as bytes',
    });
  }
  return checkText(input);
}

function checkText(text: string): string {
  if (text.length === 0) throw new SavepointError('path-invalid', 'a path must not be empty');
  if (text.includes('\0')) {
    throw new SavepointError('path-invalid', 'a path must not hold a NUL byte', { path: text });
  }
  return text;
}

function joinChecked(text: string, prefix: '' | '/'): string {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) {
    throw new SavepointError('path-escapes-root', 'a path must not hold ".."', { path: text });
  }
  if (parts.length === 0) {
    throw new SavepointError('path-invalid', 'a path must name a file', { path: text });
  }
  const joined = prefix + parts.join('/');
  if (pathToBytes(joined).length > MAX_PATH_BYTES || parts.some(isLongName)) {
    throw new SavepointError('path-invalid', 'a path is too long', { path: text });
  }
  return joined;
}

function isLongName(name: string): boolean {
  return name.length > MAX_NAME_BYTES / 4 && pathToBytes(name).length > MAX_NAME_BYTES;
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
// U+DC00: a byte that is not text becomes the lone surrogate this far above its value.
const ESCAPE = 0xdc00;

export function bytesToPath(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return decodeWithEscapes(bytes);
  }
}

export function pathToBytes(text: string): Uint8Array {
  return text.isWellFormed() ? encoder.encode(text) : encodeWithEscapes(text);
}

/** Whether a path's bytes are UTF-8, so that its text can be shown and sent as it is. */
export function isTextPath(path: string): boolean {
  return path.isWellFormed();
}

function decodeWithEscapes(bytes: Uint8Array): string {
  let text = '';
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    // What was well formed up to here is decoded at once: a decoder costs more to ask than to run.
    text += strictDecoder.decode(bytes.subarray(start, at));
    text += String.fromCharCode(ESCAPE + (bytes[at] as number));
    at += 1;
    start = at;
  }
  return text + strictDecoder.decode(bytes.subarray(start));
}

/** Length of the well-formed UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0) return 0;
  for (let step = 1; step < length; step += 1) {
    const next = bytes[at + step] ?? 0;
    if (next < 0x80 || next > 0xbf) return 0;
  }
  return isAllowed(first, bytes[at + 1] as number) ? length : 0;
}

/** Not overlong, no surrogate, nothing past the last character: the second byte tells all of that. */
function isAllowed(first: number, second: number): boolean {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second <= 0x9f;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second <= 0x8f;
}

function encodeWithEscapes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let end = 0;
  let start = 0;
  const encodeUpTo = (at: number): void => {
    end += encoder.encodeInto(text.slice(start, at), bytes.subarray(end)).written;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // The second half of a pair looks like an escape, but is none.
    if (isFirstHalf(code) && isSecondHalf(text.charCodeAt(at + 1))) at += 1;
    else if (code >= ESCAPE + 0x80 && code <= ESCAPE + 0xff) {
      encodeUpTo(at);
      bytes[end] = code - ESCAPE;
      end += 1;
      start = at + 1;
    }
  }
  encodeUpTo(text.length);
  return bytes.slice(0, end);
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
