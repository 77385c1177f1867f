import type { PathBytes, PathRef } from '../../api.ts';

/** A path of an answer as a request names it: by its bytes where it is not UTF-8. */
export function pathRef(path: string, pathBytes: PathBytes): PathRef {
  const bytes = pathBytes[path];
  return bytes === undefined ? path : { bytes };
}

/** The same in the query of an address. */
export function pathQuery(path: string, pathBytes: PathBytes): Record<string, string> {
  const ref = pathRef(path, pathBytes);
  return typeof ref === 'string' ? { path: ref } : { pathBytes: ref.bytes };
}

/** The name that a file had before, in the query of an address. */
export function fromQuery(path: string, pathBytes: PathBytes): Record<string, string> {
  const ref = pathRef(path, pathBytes);
  return typeof ref === 'string' ? { from: ref } : { fromBytes: ref.bytes };
}
