import type { GlobalRules } from '../ignore/index.ts';
import type { ColumnSizes } from './columns.ts';
import type { GiveUpReason } from './control.ts';
import type { NewsColumns } from './known-news.ts';
import type { PartFolder, WalkedPart } from './walk-part.ts';

interface WorkerTask {
  readonly root: string;
  /** The scan's control; see control.ts. */
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly maxEntries: number;
}

/** Look at the entries of an index, sharing the work with whoever has the same control. */
export interface CheckTask extends WorkerTask {
  readonly kind: 'check';
  /** The same for the same columns, which are not gone through again to find the names. */
  readonly number: number;
  readonly buffer: ArrayBufferLike;
  readonly sizes: ColumnSizes;
}

/** Walk folders of which nothing is known. */
export interface WalkTask extends WorkerTask {
  readonly kind: 'walk';
  readonly global: GlobalRules;
  readonly beganMs: number;
  readonly folders: readonly PartFolder[];
}

export type Task = CheckTask | WalkTask;

/** A part as it is sent: views are made again from the buffer. */
export interface SentPart extends Pick<WalkedPart, 'ends' | 'unreadable'> {
  readonly buffer: ArrayBufferLike;
  readonly sizes: ColumnSizes;
  readonly rules: WalkedPart['source']['rules'];
}

export type Answer =
  | { readonly kind: 'checked'; readonly news: NewsColumns }
  | { readonly kind: 'walked'; readonly part: SentPart }
  | { readonly kind: 'stopped'; readonly reason: GiveUpReason }
  | { readonly kind: 'failed'; readonly error: unknown };
