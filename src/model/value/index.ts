export { Draft } from './draft.ts';
export { jsonToValue, type Snapshot, snapshotOf, treeToValue } from './from-tree.ts';
export type { IfStorable } from './storable.ts';
export { type TreeOptions, valueToJson, valueToTree } from './to-tree.ts';
export {
  type Json,
  type JsonObject,
  pathText,
  type Segment,
  type Tree,
  type TreeObject,
} from './tree.ts';
