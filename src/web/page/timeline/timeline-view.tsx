import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { RunningWork } from '../../api.ts';
import { knownProject } from '../app/projects.ts';
import { renamePlace } from '../app/router.ts';
import type { RouteOf } from '../app/routes.ts';
import { agentName, counted, firstLine, shownDuration } from '../ui/shown.ts';
import { Either, Empty } from '../ui/states.tsx';
import { useKeys } from '../ui/window.ts';
import { Chart } from './chart.tsx';
import { EntryList, linkOf } from './entry-list.tsx';
import { FilterField } from './filter-field.tsx';
import { moved, WHOLE, type Zoom, zoomed } from './time-scale.ts';
import type { Entry, Timeline } from './timeline-data.ts';
import { useTimeline } from './use-timeline.ts';

export function TimelineView({ route }: { readonly route: RouteOf<'timeline'> }) {
  const { project, filter = '' } = route;
  const loaded = useTimeline(project, filter);
  const entry = knownProject(project);
  const setFilter = (typed: string) =>
    renamePlace({ view: 'timeline', project, ...(typed === '' ? {} : { filter: typed }) });
  return (
    <div class="timeline">
      <div class="bar">
        <h1 title={displayText(entry?.root ?? '')}>{displayText(entry?.name ?? 'Timeline')}</h1>
        <FilterField value={filter} agents={entry?.agents ?? []} onChange={setFilter} />
      </div>
      <Either of={loaded} what="the timeline">
        {(timeline) =>
          timeline.entries.length === 0 ? (
            <NothingHere filter={filter} onClear={() => setFilter('')} />
          ) : (
            <Shown project={project} timeline={timeline} />
          )
        }
      </Either>
    </div>
  );
}

function NothingHere(props: { readonly filter: string; readonly onClear: () => void }) {
  if (props.filter !== '') {
    return (
      <Empty title="No checkpoint fits this filter">
        <button type="button" onClick={props.onClear}>
          Show all
        </button>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is on record here yet">
      <p>
        Give an agent its next prompt in this project, or type <code>savepoint save</code>. It
        appears here as it happens.
      </p>
    </Empty>
  );
}

function Shown({ project, timeline }: { readonly project: string; readonly timeline: Timeline }) {
  const { entries } = timeline;
  const [zoom, setZoom] = useState<Zoom>(WHOLE);
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [isFocused, setFocused] = useState(false);
  const help = useRef<HTMLDialogElement>(null);
  const found = entries.findIndex(({ id }) => id === selectedId);
  const selected = found < 0 ? null : found;
  const select = (entry: Entry | undefined, byKeyboard: boolean) => {
    if (entry === undefined) return;
    setSelectedId(entry.id);
    setFocused(byKeyboard);
  };
  const step = (by: number) => {
    const next = selected === null ? 0 : selected + by;
    select(entries[Math.min(entries.length - 1, Math.max(0, next))], true);
  };
  const last = entries.at(-1);
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    PageDown: () => step(15),
    PageUp: () => step(-15),
    Home: () => select(entries[0], true),
    End: () => select(last, true),
    Enter: () => {
      const entry = entries[selected ?? -1];
      if (entry !== undefined) location.hash = linkOf(project, entry);
    },
    '+': () => setZoom((last) => zoomed(last, 0.5)),
    '=': () => setZoom((last) => zoomed(last, 0.5)),
    '-': () => setZoom((last) => zoomed(last, 2)),
    '0': () => setZoom(WHOLE),
    ArrowLeft: () => setZoom((last) => moved(last, -0.25)),
    ArrowRight: () => setZoom((last) => moved(last, 0.25)),
    '?': () => help.current?.showModal(),
  });
  const running = useMemo(
    () => new Set(timeline.running.map(({ checkpointId }) => checkpointId as string)),
    [timeline.running],
  );
  return (
    <>
      <div class="tools">
        <p class="quiet">
          {counted(entries.length, 'entry', 'entries')}
          {timeline.next === null ? '' : ', the newest; filter to find older ones'}
        </p>
        <span class="space" />
        <ZoomButtons zoom={zoom} onZoom={setZoom} />
        <button type="button" class="plain" onClick={() => help.current?.showModal()}>
          Keys <kbd>?</kbd>
        </button>
      </div>
      <Chart
        timeline={timeline}
        selected={entries[selected ?? -1] ?? null}
        zoom={zoom}
        onZoom={setZoom}
        onSelect={(entry) => select(entry, false)}
      />
      <RunningNow timeline={timeline} />
      <EntryList
        project={project}
        entries={entries}
        current={timeline.current}
        running={running}
        selected={selected}
        isFocused={isFocused}
        onSelect={(index) => select(entries[index], isFocused)}
      />
      <KeysHelp dialog={help} />
    </>
  );
}

function ZoomButtons(props: { readonly zoom: Zoom; readonly onZoom: (zoom: Zoom) => void }) {
  const { zoom, onZoom } = props;
  const isWhole = zoom.to - zoom.from >= 1;
  return (
    <fieldset class="segmented zoom">
      <legend class="unseen">Zoom</legend>
      <button type="button" aria-label="Nearer" onClick={() => onZoom(zoomed(zoom, 0.5))}>
        +
      </button>
      <button
        type="button"
        aria-label="Farther"
        disabled={isWhole}
        onClick={() => onZoom(zoomed(zoom, 2))}
      >
        −
      </button>
      <button type="button" disabled={isWhole} onClick={() => onZoom(WHOLE)}>
        All
      </button>
    </fieldset>
  );
}

/** Commands and tools that are at work. */
function RunningNow({ timeline }: { readonly timeline: Timeline }) {
  if (timeline.running.length === 0) return null;
  return (
    <ul class="running-now" aria-label="Running now">
      {timeline.running.map((work) => (
        <li key={work.id}>
          <i class="pulse" />
          <span>{agentName(agentAt(timeline, work))}</span>
          <code>{firstLine(work.description)}</code>
          <Since time={Date.parse(work.since)} />
        </li>
      ))}
    </ul>
  );
}

function agentAt(timeline: Timeline, work: RunningWork): string | null {
  return timeline.sessions.find(({ id }) => id === work.sessionId)?.agent ?? null;
}

function Since({ time }: { readonly time: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span class="quiet">{shownDuration(Math.floor(Math.max(0, now - time) / 1000) * 1000)}</span>
  );
}

const KEYS = [
  ['j  k', 'next older, next newer'],
  ['Enter', 'open'],
  ['/', 'filter; Escape clears it'],
  ['+  −  0', 'zoom nearer, farther, all'],
  ['←  →', 'move along the time'],
  ['?', 'this list'],
] as const;

function KeysHelp({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} class="keys-help" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split('  ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
