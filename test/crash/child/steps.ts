/** What a child process does, one after the other; each that ends is reported at once. */
export type Step =
  /** Opens the savepoint, which finishes an interrupted restore. */
  | { readonly do: 'open' }
  /** Says so, and waits for a line on standard input: here a tracer is attached. */
  | { readonly do: 'ready' }
  | { readonly do: 'capture-before'; readonly messageId: string; readonly paths: readonly string[] }
  /** Ends the last capture. */
  | { readonly do: 'capture-after' }
  /** A tool at work: writes files in place and syncs nothing, as tools do. */
  | { readonly do: 'tool'; readonly files: readonly ToolFile[] }
  | { readonly do: 'rewind'; readonly to: string; readonly onConflict?: 'restore' }
  | { readonly do: 'undo' | 'redo'; readonly onConflict?: 'restore' }
  | { readonly do: 'materialize'; readonly ref: string; readonly directory: string }
  /** Saves a document in a storage of files beside the project. */
  | {
      readonly do: 'save-document';
      readonly key: string;
      readonly text: string;
      readonly times: number;
    }
  | { readonly do: 'close' }
  /** The next file that is to get a name like that does not get it, once. */
  | { readonly do: 'sabotage'; readonly name: string }
  /** Leaves only so many file descriptors free. */
  | { readonly do: 'exhaust-descriptors'; readonly free: number };

/** Content is a text so many times, because orders travel in the environment, which is small. */
export interface ToolFile {
  readonly path: string;
  readonly text: string;
  readonly times: number;
}

export interface ChildOrder {
  readonly project: string;
  readonly home: string;
  readonly steps: readonly Step[];
  /** The process kills itself so many microseconds after it was told to go. */
  readonly killAfterUs?: number;
}

/** A line of the child's standard output. Written synchronously, so it is there before any kill. */
export type ChildReport =
  /** `pool` is the thread that syncs files for it; null where that cannot be told. */
  | { readonly say: 'ready'; readonly pid: number; readonly pool: number | null }
  /** The promise of the step has resolved: what it promised must hold from here on. */
  | { readonly say: 'done'; readonly step: Step['do']; readonly result: unknown }
  | { readonly say: 'failed'; readonly step: Step['do']; readonly error: ReportedError }
  | { readonly say: 'end'; readonly tookUs: number };

export interface ReportedError {
  /** Whether it was a `SavepointError`. */
  readonly typed: boolean;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export const SESSION = 'agent';

/** Whether the child was told that a step had been done. */
export function wasAcknowledged(reports: readonly ChildReport[], step: Step['do']): boolean {
  return reports.some((line) => line.say === 'done' && line.step === step);
}
