import { setImmediate } from 'node:timers/promises';
import {
  type CheckpointId,
  isSavepointError,
  type ListedCheckpoint,
  SavepointError,
} from '../../index.ts';
import type { PlanPreview } from '../../terminal/plan-text.ts';

/** What a rewind to a checkpoint would do, or why that cannot be told. */
export type Preview = PlanPreview | { readonly problem: string };

/** Somebody who holds an arrow key down wants none of the previews that fly by. */
const REST_MS = 80;
const MOST_KEPT = 100;

type Make = (checkpoint: ListedCheckpoint, breathe: () => Promise<void>) => Promise<Preview>;

/** Makes previews one at a time, for the checkpoint at which the person stays, and remembers them. */
export class Previews {
  readonly #make: Make;
  readonly #onReady: () => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #made = new Map<CheckpointId, Preview>();
  #wanted: ListedCheckpoint | null = null;
  #making: ListedCheckpoint | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(make: Make, onReady: () => void, onFailure: (error: unknown) => void) {
    this.#make = make;
    this.#onReady = onReady;
    this.#onFailure = onFailure;
  }

  get(id: CheckpointId): Preview | null {
    return this.#made.get(id) ?? null;
  }

  /** The person is at this checkpoint now. */
  want(checkpoint: ListedCheckpoint | null): void {
    if (checkpoint?.id === this.#wanted?.id) return;
    this.#wanted = checkpoint;
    clearTimeout(this.#timer);
    if (checkpoint === null || this.#made.has(checkpoint.id)) return;
    this.#timer = setTimeout(() => void this.#next(), REST_MS);
  }

  /** Throws where the preview that is being made is no longer wanted. */
  readonly check = (): void => {
    if (this.#making !== null && this.#making !== this.#wanted) {
      throw new SavepointError('aborted', 'the preview is not wanted any more');
    }
  };

  async #next(): Promise<void> {
    const checkpoint = this.#wanted;
    if (this.#making !== null || checkpoint === null || this.#made.has(checkpoint.id)) return;
    this.#making = checkpoint;
    try {
      this.#keep(checkpoint.id, await this.#make(checkpoint, this.#breathe));
      if (this.#wanted === checkpoint) this.#onReady();
    } catch (error) {
      if (!isSavepointError(error, 'aborted')) this.#onFailure(error);
    } finally {
      this.#making = null;
    }
    if (this.#wanted !== checkpoint) await this.#next();
  }

  readonly #breathe = async (): Promise<void> => {
    await setImmediate();
    this.check();
  };

  #keep(id: CheckpointId, preview: Preview): void {
    const [oldest] = this.#made.keys();
    if (this.#made.size >= MOST_KEPT && oldest !== undefined) this.#made.delete(oldest);
    this.#made.set(id, preview);
  }
}
