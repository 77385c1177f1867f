import type { Database } from './database.ts';

/** A project on a server. Contents and documents belong to it. */
export interface OpenedProject {
  readonly database: Database;
  readonly schema: string;
  /** The number of the project in the tables of contents and documents. */
  readonly project: number;
}

/** What the parts of an open store work with. */
export interface Opened extends OpenedProject {
  /** The number of the worktree in the tables of its timeline. */
  readonly worktree: number;
  /** The token of the project lock, while this store holds it. */
  readonly fence: () => number | null;
}

/** Runs work on an open store: closed stores refuse, and every failure comes out as an error of ours. */
export type Run<Place = Opened> = <Result>(
  work: (opened: Place) => Promise<Result>,
) => Promise<Result>;
