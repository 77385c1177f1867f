export { jsonToValue, treeToValue } from './from-tree.ts';
export { valueToJson, valueToTree } from './to-tree.ts';
export type { Json, Tree, TreeObject } from './tree.ts';
