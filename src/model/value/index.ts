export { jsonToValue, type Snapshot, snapshotOf, treeToValue } from './from-tree.ts';
export { StateDraft } from './state-draft.ts';
export type { IfStorable } from './storable.ts';
export { valueToJson, valueToTree } from './to-tree.ts';
export type { Json, Tree, TreeObject } from './tree.ts';
