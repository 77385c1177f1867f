import type { Connection } from './connection.ts';
import type { Layout } from './layout.ts';

/** What the parts of an open store work with. */
export interface Opened {
  readonly connection: Connection;
  readonly layout: Layout;
  /** Blobs with more bytes than this lie in files of their own. */
  readonly largeBlobBytes: number;
  readonly now: () => number;
}
