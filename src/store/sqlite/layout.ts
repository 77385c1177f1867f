import { join, resolve } from 'node:path';

/** Where the parts of one store lie. */
export interface Layout {
  readonly directory: string;
  readonly database: string;
  readonly lock: string;
  readonly blobs: string;
}

export function layoutOf(directory: string): Layout {
  const root = resolve(directory);
  return {
    directory: root,
    database: join(root, 'store.db'),
    lock: join(root, 'lock.db'),
    blobs: join(root, 'blobs'),
  };
}
