import type { StateNode } from '../api.ts';

const MOST_NODES = 20_000;
const LONGEST_TEXT = 10_000;
const DEEPEST = 200;

/** A value of a program as a tree that a page can show. What is too much is cut, and says so. */
export function stateTree(value: unknown): StateNode {
  const budget = { left: MOST_NODES };
  return nodeOf('', value, budget, 0);
}

function nodeOf(key: string, value: unknown, budget: { left: number }, depth: number): StateNode {
  budget.left -= 1;
  const kind = kindOf(value);
  if (kind !== 'object' && kind !== 'array') return leaf(key, kind, value);
  const entries = Object.entries(value as object);
  const children: StateNode[] = [];
  for (const [name, child] of entries) {
    if (budget.left <= 0 || depth >= DEEPEST) break;
    children.push(nodeOf(name, child, budget, depth + 1));
  }
  const isCut = children.length < entries.length;
  return { key, kind, size: entries.length, children, ...(isCut ? { cut: true } : {}) };
}

function kindOf(value: unknown): StateNode['kind'] {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number';
  if (typeof value !== 'object') return 'tag';
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null ? 'object' : 'tag';
}

function leaf(key: string, kind: StateNode['kind'], value: unknown): StateNode {
  const text = kind === 'text' ? (value as string) : plainText(value);
  if (text.length <= LONGEST_TEXT) return { key, kind, value: text };
  return { key, kind, value: text.slice(0, LONGEST_TEXT), size: text.length, cut: true };
}

/** What JSON lacks, as a person would write it. */
function plainText(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Date' : value.toISOString();
  if (value instanceof Map) return `Map of ${value.size}`;
  if (value instanceof Set) return `Set of ${value.size}`;
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value === 'bigint') return `${value}n`;
  return String(value);
}

const LONGEST_VALUE = 2000;

/** A value in one line, cut. */
export function shortText(value: unknown): string {
  const text = textOf(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

function textOf(value: unknown): string {
  if (kindOf(value) === 'tag') return plainText(value);
  return JSON.stringify(value, (_key, one: unknown) =>
    kindOf(one) === 'tag' ? plainText(one) : one,
  );
}

const SEGMENT = /\.?([\p{ID_Start}$_][\p{ID_Continue}$]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/gu;

/** The value at a path such as `state.messages[3].content`; undefined where there is none. Own properties only. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const [, name, index, quoted] of path.matchAll(SEGMENT)) {
    const key = name ?? index ?? (JSON.parse(`"${quoted}"`) as string);
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isThere ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return value;
}
