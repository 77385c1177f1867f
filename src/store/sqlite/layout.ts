import { join, resolve } from 'node:path';

/** Where the parts of one store lie. */
export interface Layout {
  readonly directory: string;
  readonly database: string;
  readonly lock: string;
  readonly blobs: string;
  /** Made with the first large blob. */
  readonly arrivals: string;
  /** Made with the first pack. */
  readonly packs: string;
  /** Capture's, who keeps objects of git there. */
  readonly git: string;
  /** Where a repair puts what is damaged. */
  readonly damaged: string;
  /** Shared by who writes without the project lock; a repair takes it alone. */
  readonly writers: string;
}

export function layoutOf(directory: string): Layout {
  const root = resolve(directory);
  return {
    directory: root,
    database: join(root, 'store.db'),
    lock: join(root, 'lock.db'),
    blobs: join(root, 'blobs'),
    arrivals: join(root, 'arrivals'),
    packs: join(root, 'packs'),
    git: join(root, 'git'),
    damaged: join(root, 'damaged'),
    writers: join(root, 'writers.db'),
  };
}
