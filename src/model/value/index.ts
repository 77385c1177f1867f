export { jsonToValue, treeToValue } from './from-tree.ts';
export { type TreeOptions, valueToJson, valueToTree } from './to-tree.ts';
export {
  type Json,
  type JsonObject,
  pathText,
  type Segment,
  type Tree,
  type TreeObject,
} from './tree.ts';
