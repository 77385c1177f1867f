/** How many keys all workers write, and how many each has for itself. */
export const SHARED_KEYS = 4;
export const OWN_KEYS = 10;

/** What one worker says at its end, as JSON. */
export interface StorageReport {
  readonly name: string;
  /** What each of its own keys had to hold at last; null where it was deleted. */
  readonly own: Record<string, Whole | null>;
  /** Slots that it was told are its own, by their keys. */
  readonly claimed: string[];
  readonly saves: number;
  readonly failures: string[];
}

/** A value that shows whether it is whole: much of it follows from the rest. */
export interface Whole {
  readonly name: string;
  readonly n: number;
  readonly filler: readonly string[];
}

export function wholeOf(name: string, n: number): Whole {
  return { name, n, filler: Array.from({ length: 100 }, (_, at) => `${name} ${n} ${at}`) };
}

export function isWhole(value: unknown): boolean {
  const { name, n } = Object(value) as Partial<Whole>;
  if (typeof name !== 'string' || typeof n !== 'number') return false;
  return JSON.stringify(value) === JSON.stringify(wholeOf(name, n));
}
