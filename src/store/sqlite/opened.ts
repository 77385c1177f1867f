import type { Arrivals } from './arrivals.ts';
import type { Connection } from './connection.ts';
import type { GitObjects } from './git-objects/git-objects.ts';
import type { Layout } from './layout.ts';
import type { Packs } from './packs/packs.ts';

/** What the parts of an open store work with. */
export interface Opened {
  readonly connection: Connection;
  readonly layout: Layout;
  readonly arrivals: Arrivals;
  readonly packs: Packs;
  readonly gitObjects: GitObjects;
  /** Blobs with more bytes than this do not lie in the database. */
  readonly largeBlobBytes: number;
  readonly now: () => number;
}
