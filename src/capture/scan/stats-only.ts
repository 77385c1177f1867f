import { sameGlobalRules } from '../ignore/index.ts';
import type { IndexColumns } from './columns.ts';
import { sameRules } from './folder-rules.ts';
import type { IndexMeta, ScanIndex } from './scan-index.ts';

/**
 * Whether two indices have the same names in the same order, the same folders, the same rules, and could
 * read the same: so that a scan from either gives every path to the same list, but for files whose stat
 * moved in between, which it lists again.
 */
export function differInStatsOnly(a: ScanIndex, b: ScanIndex): boolean {
  return sameMeta(a.meta, b.meta) && sameNames(a.columns, b.columns) && sameReach(a, b);
}

function sameMeta(a: IndexMeta, b: IndexMeta): boolean {
  return a.partialRoot === b.partialRoot && sameGlobalRules(a.global, b.global) && hasRulesOf(a, b);
}

function hasRulesOf({ rules }: IndexMeta, other: IndexMeta): boolean {
  if (rules === other.rules) return true;
  if (rules.size !== other.rules.size) return false;
  return [...rules].every(([folder, texts]) => {
    const theirs = other.rules.get(folder);
    return theirs !== undefined && sameRules(texts, theirs);
  });
}

/** The columns that say what is where come last, one after the other. */
function sameNames(a: IndexColumns, b: IndexColumns): boolean {
  return a === b || tailOf(a).equals(tailOf(b));
}

function tailOf({ bytes, parent }: IndexColumns): Buffer {
  return Buffer.from(bytes.buffer, parent.byteOffset, bytes.length - parent.byteOffset);
}

function sameReach(a: ScanIndex, b: ScanIndex): boolean {
  const { folders } = a.columns.sizes;
  for (let folder = 1; folder < folders; folder += 1) {
    if (a.isUnreadable(folder) !== b.isUnreadable(folder)) return false;
  }
  return true;
}
