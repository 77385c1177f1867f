import { valueToTree } from './to-tree.ts';
import { pathText, readKey, type Segment, type Tree, type TreeObject, tagOf } from './tree.ts';

/** One place in which two values differ. */
export interface Difference {
  /** As in a program: `state.messages[3].content`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
}

/** Where `after` differs from `before`, as deep as both go on alike. Throws `value-unsupported`. */
export function differences(before: object, after: object): Difference[] {
  const old = valueToTree(before);
  const found: Difference[] = [];
  collect(old, valueToTree(after, { previous: old }), [], found);
  return found;
}

function collect(before: Tree, after: Tree, at: readonly Segment[], found: Difference[]): void {
  // Equal parts are the same object in both trees.
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) collectItems(before, after, at, found);
  else if (isPlain(before) && isPlain(after)) collectKeys(before, after, at, found);
  else found.push({ path: textOf(at), kind: 'changed' });
}

function collectItems(
  before: readonly Tree[],
  after: readonly Tree[],
  at: readonly Segment[],
  found: Difference[],
): void {
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [old, now] = [before[index], after[index]];
    compare(old, now, [...at, index], found);
  }
}

function collectKeys(
  before: TreeObject,
  after: TreeObject,
  at: readonly Segment[],
  found: Difference[],
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    const now = Object.hasOwn(after, key) ? after[key] : undefined;
    compare(old, now, [...at, readKey(key)], found);
  }
}

function compare(
  old: Tree | undefined,
  now: Tree | undefined,
  at: readonly Segment[],
  found: Difference[],
): void {
  if (old === undefined) found.push({ path: textOf(at), kind: 'added' });
  else if (now === undefined) found.push({ path: textOf(at), kind: 'removed' });
  else collect(old, now, at, found);
}

/** A tag stands for something that has no parts of its own, as far as people are concerned. */
function isPlain(tree: Tree): tree is TreeObject {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return false;
  return !(tree instanceof Uint8Array) && tagOf(tree) === null;
}

function textOf([first, ...rest]: readonly Segment[]): string {
  return first === undefined ? '' : pathText(String(first), rest);
}
