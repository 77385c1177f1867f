import { pathToBytes } from '../../model/path.ts';

// From here on the order of UTF-16 units is not the order of the bytes they stand for.
const OUT_OF_ORDER = /[\ud800-\uffff]/;

/** Sorts by the bytes of the keys; a folder's key ends in "/", which gives the order of git's index. */
export function sortByKey<T extends { readonly key: string }>(items: T[]): T[] {
  return items.some((item) => OUT_OF_ORDER.test(item.key))
    ? items.sort((a, b) => Buffer.compare(pathToBytes(a.key), pathToBytes(b.key)))
    : items.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Compares two texts by their bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (OUT_OF_ORDER.test(a) || OUT_OF_ORDER.test(b)) {
    return Buffer.compare(pathToBytes(a), pathToBytes(b));
  }
  return a < b ? -1 : 1;
}
