import { effect, signal } from '@preact/signals';

/** What was done last in this page, and can be taken back with one press until the next thing happens. */
export interface LastReceipt {
  readonly project: string;
  readonly operationId: string;
  /** As the button says it: "Took back 3 files". */
  readonly text: string;
  /** Where the timeline stood then: what comes later is the next thing. */
  readonly seq: number;
}

const STORED = 'savepoint.last';

/** Lives as long as the tab, so that a reload takes no Undo away. */
export const lastReceipt = signal<LastReceipt | null>(stored());

effect(() => {
  if (lastReceipt.value === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, JSON.stringify(lastReceipt.value));
});

function stored(): LastReceipt | null {
  return JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as LastReceipt | null;
}
