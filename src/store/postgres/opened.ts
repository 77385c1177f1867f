import type { Database } from './database.ts';

/** What the parts of an open store work with. */
export interface Opened {
  readonly database: Database;
  readonly schema: string;
  /** The number of its project in every table. */
  readonly project: number;
  /** The token of the project lock, while this store holds it. */
  readonly fence: () => number | null;
}

/** Runs work on an open store: closed stores refuse, and every failure comes out as an error of ours. */
export type Run = <Result>(work: (opened: Opened) => Promise<Result>) => Promise<Result>;
