import { effect, signal } from '@preact/signals';
import { displayText } from '../../../model/display.ts';
import { useLive } from './live.ts';
import { linkTo } from './routes.ts';

const said = signal('');

/** Says something to those who do not see the page. */
export function announce(text: string): void {
  said.value = text;
}

export function LiveRegion() {
  return (
    <div role="status" aria-live="polite" class="unseen">
      {said}
    </div>
  );
}

/** What was done last in this page, and can be taken back with one press until the next thing happens. */
interface LastReceipt {
  readonly project: string;
  readonly operationId: string;
  /** As the button says it: "Took back 3 files". */
  readonly text: string;
  /** Where the timeline stood then: what comes later is the next thing. */
  readonly seq: number;
}

const STORED = 'savepoint.last';

/** Lives as long as the tab, so that a reload takes no Undo away. */
export const lastReceipt = signal(
  JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as LastReceipt | null,
);

effect(() => {
  if (lastReceipt.value === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, JSON.stringify(lastReceipt.value));
});

/** The way back from what was just done, at the top of every view until the next thing happens. */
export function UndoBar() {
  const last = lastReceipt.value;
  useLive((event, project) => {
    // Another project counts for itself.
    if (event.type !== 'changed' || project !== last?.project) return;
    if (event.seq > last.seq) lastReceipt.value = null;
  });
  if (last === null) return null;
  const { project, operationId: operation } = last;
  return (
    <div class="undo-bar" role="status">
      <span>{displayText(last.text)}</span>
      <a class="button" href={linkTo({ view: 'undo', project, operation })}>
        Undo
      </a>
      <button
        type="button"
        class="plain"
        aria-label="Dismiss"
        onClick={() => {
          lastReceipt.value = null;
        }}
      >
        ×
      </button>
    </div>
  );
}
