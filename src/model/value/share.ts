import type { Tree, TreeObject } from './tree.ts';

// Trees of one document after another are mostly the same. What is equal is one object in both, so that
// whoever has worked on the first need not work on it again.

export function shareTag(tag: string, content: Tree, previous: Tree | undefined): TreeObject {
  return shareObject({ [tag]: content }, previous);
}

/** The earlier object, if it has the same keys in the same order with the same trees. */
export function shareObject(made: TreeObject, previous: Tree | undefined): TreeObject {
  if (!isObject(previous)) return made;
  const keys = Object.keys(made);
  const oldKeys = Object.keys(previous);
  const isSame =
    keys.length === oldKeys.length &&
    keys.every((key, at) => key === oldKeys[at] && made[key] === previous[key]);
  return isSame ? previous : made;
}

/** As `shareObject`; with a tag, the earlier list is what that tag of the earlier tree holds. */
export function shareList(
  made: readonly Tree[],
  previous: Tree | undefined,
  tag?: string,
): readonly Tree[] {
  const old = tag === undefined ? previous : isObject(previous) ? previous[tag] : undefined;
  if (!Array.isArray(old) || old.length !== made.length) return made;
  return made.every((item, at) => item === old[at]) ? old : made;
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

export function isObject(tree: Tree | undefined): tree is TreeObject {
  return (
    typeof tree === 'object' &&
    tree !== null &&
    !Array.isArray(tree) &&
    !(tree instanceof Uint8Array)
  );
}
