import { displayText } from '../../../model/display.ts';
import { lastReceipt } from './last-receipt.ts';
import { useLive } from './live.ts';
import { linkTo } from './routes.ts';

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
