import { signal } from '@preact/signals';

/** What was done last in this page, and can be taken back with one press until the next thing happens. */
export interface LastReceipt {
  readonly project: string;
  readonly operationId: string;
  /** As the button says it: "Took back 3 files". */
  readonly text: string;
  /** Where the timeline stood then: what comes later is the next thing. */
  readonly seq: number;
}

export const lastReceipt = signal<LastReceipt | null>(null);
