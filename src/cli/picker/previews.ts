import { setImmediate } from 'node:timers/promises';
import {
  type CheckpointId,
  isSavepointError,
  type ListedCheckpoint,
  SavepointError,
} from '../../index.ts';
import type { Preview } from './preview.ts';

/** Whoever holds an arrow key down wants none of what flies by. */
const REST_MS = 80;
const MOST_KEPT = 100;

type Make = (checkpoint: ListedCheckpoint, breathe: () => Promise<void>) => Promise<Preview>;

/** Makes previews one at a time, for where the person stays, and remembers them. */
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

  /** The person is here now. */
  want(checkpoint: ListedCheckpoint | null): void {
    if (checkpoint?.id === this.#wanted?.id) return;
    this.#wanted = checkpoint;
    clearTimeout(this.#timer);
    if (checkpoint === null || this.#made.has(checkpoint.id)) return;
    this.#timer = setTimeout(() => void this.#next(), REST_MS);
  }

  stop(): void {
    this.want(null);
  }

  /** Throws where what is being made is no longer wanted. */
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
