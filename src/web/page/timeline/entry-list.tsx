import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import { linkTo } from '../app/routes.ts';
import { agentColour, agentName, counted, firstLine, shownTime, wholeTime } from '../ui/shown.ts';
import { useExtent, useMedia } from '../ui/window.ts';
import { agentOf, type CheckpointEntry, type Entry, type OperationEntry } from './timeline-data.ts';

interface EntryListProps {
  readonly project: string;
  readonly entries: readonly Entry[];
  readonly current: string | null;
  readonly running: ReadonlySet<string>;
  readonly selected: number | null;
  /** Whether the keyboard chose the selected one, so that the focus goes there. */
  readonly isFocused: boolean;
  readonly onSelect: (index: number) => void;
}

/** Rows that are drawn above and below those in sight. */
const BEYOND = 12;

/** Prompts, runs, saves, steps and operations, newest first. Only the rows in sight are in the document. */
export function EntryList(props: EntryListProps) {
  const { entries, selected } = props;
  const rowHeight = useMedia('(max-width: 720px)') ? 50 : 30;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = useExtent(box, 'clientHeight', 600);
  // The chosen one stays in sight when it changes.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || selected === null) return;
    const at = selected * rowHeight;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = at + rowHeight - element.clientHeight;
    }
  }, [selected, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const last = Math.min(entries.length, Math.ceil((top + height) / rowHeight) + BEYOND);
  const padding = `${first * rowHeight}px 0 ${(entries.length - last) * rowHeight}px`;
  return (
    <div ref={box} class="entry-list" onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <ol aria-label="Checkpoints, newest first" style={{ padding }}>
        {entries.slice(first, last).map((entry, i) => {
          const index = first + i;
          return (
            <li
              key={entry.id}
              class={index === selected ? 'entry selected' : 'entry'}
              aria-posinset={index + 1}
              aria-setsize={entries.length}
              aria-current={index === selected ? 'true' : undefined}
            >
              <a
                href={linkOf(props.project, entry)}
                ref={index === selected && props.isFocused ? focus : null}
                tabIndex={index === (selected ?? 0) ? 0 : -1}
                onFocus={() => props.onSelect(index)}
              >
                {entry.type === 'operation' ? (
                  <OperationRow entry={entry} />
                ) : (
                  <CheckpointRow
                    entry={entry}
                    isCurrent={entry.id === props.current}
                    isRunning={props.running.has(entry.id)}
                  />
                )}
              </a>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** The row gets the focus when it becomes the chosen one, or comes into sight as that. */
function focus(row: HTMLElement | null): void {
  row?.focus({ preventScroll: true });
}

export function linkOf(project: string, entry: Entry): string {
  const id = entry.type === 'checkpoint' ? entry.id : entry.safetyCheckpointId;
  return linkTo({ view: 'checkpoint', project, id });
}

interface RowProps {
  readonly entry: CheckpointEntry;
  readonly isCurrent: boolean;
  readonly isRunning: boolean;
}

function CheckpointRow({ entry, isCurrent, isRunning }: RowProps) {
  const agent = agentOf(entry);
  const { files = 0, takenBack } = entry;
  return (
    <>
      <Time at={entry.at} />
      <span class="who" style={{ color: agentColour(agent) }}>
        <i class={`agent-dot ${takenBack === undefined ? '' : `taken-back-${takenBack}`}`} />
        {agentName(agent)}
      </span>
      <span class="what">
        {entry.label !== undefined && <b class="chip">{displayText(entry.label)}</b>}
        <span class={takenBack === 'yes' ? 'title gone' : 'title'}>{titleOf(entry)}</span>
        {isRunning && <b class="chip running">running</b>}
        {isCurrent && <b class="chip here">files stand here</b>}
        {takenBack !== undefined && (
          <b class="chip back">{takenBack === 'yes' ? 'taken back' : 'partly taken back'}</b>
        )}
        {entry.imported && <b class="chip">imported</b>}
      </span>
      <span class="files">{files === 0 ? '' : counted(files, 'file')}</span>
      <Lines entry={entry} />
    </>
  );
}

function titleOf(entry: CheckpointEntry): string {
  const title = firstLine(entry.title);
  if (title !== '') return title;
  return entry.kind === 'manual' ? 'Saved by hand' : 'No words';
}

function Lines({ entry: { insertions = 0, deletions = 0 } }: { readonly entry: CheckpointEntry }) {
  if (insertions + deletions === 0) return <span class="lines" />;
  return (
    <span class="lines">
      <span class="good">+{insertions}</span> <span class="bad">−{deletions}</span>
      <span class="unseen"> lines</span>
    </span>
  );
}

function OperationRow({ entry }: { readonly entry: OperationEntry }) {
  const count = entry.tookBack.length;
  const verb = entry.kind === 'undo' ? 'brought back' : 'took back';
  return (
    <>
      <Time at={entry.at} />
      <span class="who">
        <svg class="arrow" viewBox="0 0 16 16" aria-hidden="true">
          <path d={entry.kind === 'undo' ? REDO_ARROW : UNDO_ARROW} />
        </svg>
        {entry.kind}
      </span>
      <span class="what">
        <span class={entry.inEffect ? 'title' : 'title gone'}>
          {displayText(entry.description)}
        </span>
        {!entry.inEffect && <b class="chip back">undone</b>}
      </span>
      <span class="files wide">{count === 0 ? '' : `${verb} ${counted(count, 'checkpoint')}`}</span>
    </>
  );
}

const UNDO_ARROW = 'M6 3L3 6l3 3M3 6h6a4 4 0 0 1 0 8H6';
const REDO_ARROW = 'M10 3l3 3-3 3M13 6H7a4 4 0 0 0 0 8h3';

function Time({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={wholeTime(at)}>
      {shownTime(at)}
    </time>
  );
}
