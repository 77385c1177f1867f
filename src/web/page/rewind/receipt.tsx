import { displayText } from '../../../model/display.ts';
import type { ApplyAnswer } from '../../api.ts';
import { linkTo } from '../app/routes.ts';
import { counted } from '../ui/shown.ts';

type Receipt = ApplyAnswer['receipt'];

/** What was done, in one line: "Restored 3 files, deleted a.txt". */
export function receiptLine({
  restoredFiles,
  deletedFiles,
  mergedFiles,
  conflicts,
}: Receipt): string {
  const done = [
    ['Restored', restoredFiles],
    ['deleted', deletedFiles],
    ['merged', mergedFiles],
  ] as const;
  const parts = done.flatMap(([word, paths]) => {
    if (paths.length === 0) return [];
    return [
      `${word} ${paths.length === 1 ? displayText(paths[0] ?? '') : counted(paths.length, 'file')}`,
    ];
  });
  const said = parts.length === 0 ? 'No file had to change' : parts.join(', ');
  const whole = said.charAt(0).toUpperCase() + said.slice(1);
  return conflicts.length === 0 ? whole : `${whole}; ${counted(conflicts.length, 'conflict')} left`;
}

interface ReceiptProps {
  readonly project: string;
  readonly done: ApplyAnswer;
}

export function ReceiptView({ project, done: { receipt } }: ReceiptProps) {
  const {
    restoredFiles,
    deletedFiles,
    mergedFiles,
    conflicts,
    skipped,
    errors,
    notes,
    operationId,
  } = receipt;
  return (
    <div class="receipt">
      <p class="sums">{receiptLine(receipt)}.</p>
      <div class="actions">
        {operationId !== null && (
          <a
            class="button primary"
            href={linkTo({ view: 'undo', project, operation: operationId })}
          >
            Undo this
          </a>
        )}
        <a class="button" href={linkTo({ view: 'timeline', project })}>
          To the timeline
        </a>
      </div>
      <Paths title="Restored" paths={restoredFiles} project={project} />
      <Paths
        title="Merged: what others wrote in them stays"
        paths={mergedFiles}
        project={project}
      />
      <Paths title="Deleted" paths={deletedFiles} project={project} />
      <Reasons title="In conflict, left as it is" of={conflicts} />
      <Reasons title="Left as it is" of={skipped} />
      <Reasons title="Lost" of={errors} />
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
  readonly paths: readonly string[];
  readonly project: string;
}

function Paths({ title, paths, project }: PathsProps) {
  if (paths.length === 0) return null;
  return (
    <section class="receipt-part">
      <h2>{title}</h2>
      <ul>
        {paths.slice(0, 200).map((path) => (
          <li key={path}>
            <a href={linkTo({ view: 'file', project, path })}>
              <code>{displayText(path)}</code>
            </a>
          </li>
        ))}
        {paths.length > 200 && (
          <li class="quiet">and {counted(paths.length - 200, 'more file')}</li>
        )}
      </ul>
    </section>
  );
}

function Reasons({ title, of }: { readonly title: string; readonly of: Receipt['conflicts'] }) {
  if (of.length === 0) return null;
  return (
    <section class="receipt-part">
      <h2>{title}</h2>
      <ul>
        {of.slice(0, 200).map(({ path, message }) => (
          <li key={path}>
            <code>{displayText(path)}</code> <span class="quiet">{displayText(message)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
