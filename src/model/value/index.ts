export { jsonToValue, treeToValue } from './from-tree.ts';
export { pathText, type Segment } from './place.ts';
export { type TreeOptions, valueToJson, valueToTree } from './to-tree.ts';
export type { Json, JsonObject, Tree, TreeObject } from './tree.ts';
