import { displayText } from '../../../model/display.ts';
import type { ApplyAnswer } from '../../api.ts';
import { useProject } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { capital, counted } from '../ui/shown.ts';

type Receipt = ApplyAnswer['receipt'];

/** What was done, in one line: "Restored 3 files, deleted a.txt". */
export function receiptLine({ conflicts, ...receipt }: Receipt): string {
  const parts = (['restored', 'deleted', 'merged'] as const).flatMap((word) => {
    const paths = receipt[`${word}Files`];
    const [only = ''] = paths;
    if (paths.length === 0) return [];
    return [`${word} ${paths.length === 1 ? displayText(only) : counted(paths.length, 'file')}`];
  });
  const whole = parts.length === 0 ? 'No file had to change' : capital(parts.join(', '));
  return conflicts.length === 0 ? whole : `${whole}; ${counted(conflicts.length, 'conflict')} left`;
}

const LISTS = [
  ['Restored', 'restoredFiles'],
  ['Merged: what others wrote in them stays', 'mergedFiles'],
  ['Deleted', 'deletedFiles'],
  ['In conflict, left as it is', 'conflicts'],
  ['Left as it is', 'skipped'],
  ['Lost', 'errors'],
] as const;

export function ReceiptView({ receipt }: ApplyAnswer) {
  const project = useProject();
  const { notes, operationId: operation } = receipt;
  return (
    <div class="receipt">
      <p class="sums">{receiptLine(receipt)}.</p>
      <div class="actions">
        {operation !== null && (
          <a class="button primary" href={linkTo({ view: 'undo', project, operation })}>
            Undo this
          </a>
        )}
        <a class="button" href={linkTo({ view: 'timeline', project })}>
          To the timeline
        </a>
      </div>
      {LISTS.map(([title, list]) => (
        <Paths key={title} title={title} of={receipt[list]} />
      ))}
      {notes.length > 0 && (
        <ul class="notes">
          {notes.map(({ code, message }) => (
            <li key={code}>{displayText(message)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface PathsProps {
  readonly title: string;
  /** Where a file stayed, with the reason. */
  readonly of: readonly (string | Receipt['conflicts'][number])[];
}

const MOST_PATHS = 200;

function Paths({ title, of }: PathsProps) {
  const project = useProject();
  if (of.length === 0) return null;
  return (
    <section class="receipt-part">
      <h2>{title}</h2>
      <ul>
        {of.slice(0, MOST_PATHS).map((one) =>
          typeof one === 'string' ? (
            <li key={one}>
              <a href={linkTo({ view: 'file', project, path: one })}>
                <code>{displayText(one)}</code>
              </a>
            </li>
          ) : (
            <li key={one.path}>
              <code>{displayText(one.path)}</code>{' '}
              <span class="quiet">{displayText(one.message)}</span>
            </li>
          ),
        )}
        {of.length > MOST_PATHS && (
          <li class="quiet">and {counted(of.length - MOST_PATHS, 'more file')}</li>
        )}
      </ul>
    </section>
  );
}
