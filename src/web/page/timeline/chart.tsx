import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { TimelineOperation } from '../../api.ts';
import { agentColour, agentName, counted, DAY, firstLine, shownTime, TIME } from '../ui/shown.ts';
import { useExtent } from '../ui/window.ts';
import {
  makeTimeScale,
  showing,
  type Tick,
  type TimeScale,
  ticksOf,
  type Zoom,
} from './time-scale.ts';
import {
  type CheckpointEntry,
  type Entry,
  linesOf,
  type Mark,
  marksOf,
  type Timeline,
  type Track,
  tracksOf,
} from './timeline-data.ts';

const TRACK = 24;
const AXIS = 22;
const ARCS = 34;
const MARGIN = 14;
const TICKS_APART = 84;
const MOST_ARCS = 200;

interface ChartProps {
  readonly timeline: Timeline;
  readonly selected: Entry | null;
  readonly zoom: Zoom;
  readonly onZoom: (zoom: Zoom) => void;
  readonly onSelect: (entry: Entry) => void;
}

/** Sessions as lanes over one axis of time. The list has the same for those who do not see it. */
export function Chart({ timeline, selected, zoom, onZoom, onSelect }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useExtent(box, 'clientWidth', 800);
  const labels = width < 640 ? 76 : 124;
  const scale = useMemo(
    () => makeTimeScale(timeline.entries.map(({ at }) => at).sort((a, b) => a - b)),
    [timeline],
  );
  useEffect(() => {
    if (selected !== null) onZoom(showing(zoom, scale.placeOf(selected.at)));
  }, [selected?.id]);
  const tracks = useMemo(() => tracksOf(timeline.entries), [timeline.entries]);
  const inner = Math.max(40, width - labels - MARGIN);
  const axis = axisOf(scale, zoom, labels, inner);
  const arcs = timeline.operations.length === 0 ? 0 : ARCS;
  const height = AXIS + arcs + tracks.length * TRACK + 6;
  const drag = useDrag(axis, onZoom);
  const ticks = ticksOf(scale, zoom.from, zoom.to, (TICKS_APART / inner) * (zoom.to - zoom.from));
  return (
    <div class="chart" ref={box}>
      <svg
        role="img"
        aria-label={summary(timeline, tracks)}
        width={width}
        height={height}
        {...drag.handlers}
      >
        <clipPath id="plot">
          <rect x={labels - 10} y={0} width={inner + MARGIN + 10} height={height} />
        </clipPath>
        <Ticks ticks={ticks} axis={axis} height={height} />
        <Breaks axis={axis} height={height} />
        <g clip-path="url(#plot)">
          {arcs === 0 ? null : (
            <Arcs timeline={timeline} axis={axis} selected={selected} onSelect={onSelect} />
          )}
          {tracks.map((track, index) => (
            <TrackRow
              key={`${track.agent}${index}`}
              track={track}
              y={AXIS + arcs + index * TRACK + TRACK / 2}
              axis={axis}
              onSelect={(mark) => pick(mark, axis, onSelect, onZoom)}
            />
          ))}
          <Selected entry={selected} axis={axis} height={height} />
          {drag.drawn}
        </g>
        {tracks.map((track, index) => (
          <text
            key={`${track.agent}${index}`}
            class="track-name"
            x={labels - 16}
            y={AXIS + arcs + index * TRACK + TRACK / 2 + 4}
          >
            {trackName(track, tracks[index - 1], labels)}
          </text>
        ))}
        {arcs === 0 ? null : (
          <text class="track-name" x={labels - 16} y={AXIS + arcs - 6}>
            rewinds
          </text>
        )}
      </svg>
    </div>
  );
}

type Axis = ReturnType<typeof axisOf>;

/** From times to pixels, and back. */
function axisOf(scale: TimeScale, { from, to }: Zoom, left: number, width: number) {
  const xAt = (place: number): number => left + ((place - from) / (to - from)) * width;
  return {
    scale,
    left,
    width,
    xAt,
    xOf: (time: number): number => xAt(scale.placeOf(time)),
    placeAt: (x: number): number =>
      Math.min(1, Math.max(0, from + ((x - left) / width) * (to - from))),
    ends: [left - MARGIN, left + width + MARGIN] as const,
  };
}

function Ticks(props: { readonly ticks: readonly Tick[]; axis: Axis; height: number }) {
  return (
    <g class="ticks">
      {props.ticks.map(({ time, place, isDay }) => {
        const x = props.axis.xAt(place);
        return (
          <g key={time}>
            <line x1={x} x2={x} y1={AXIS - 4} y2={props.height} />
            <text x={x} y={13} class={isDay ? 'day' : ''}>
              {isDay ? DAY.format(time) : TIME.format(time)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Times in which nothing happened, where there is room to show that they were cut. */
function Breaks({ axis, height }: { readonly axis: Axis; readonly height: number }) {
  const { stretches } = axis.scale;
  return (
    <g class="breaks">
      {stretches.slice(1).map(({ start, from }, index) => {
        const left = axis.xAt(stretches[index]?.end ?? 0);
        const right = axis.xAt(start);
        if (right - left < 3 || right < axis.ends[0] || left > axis.ends[1]) return null;
        const x = Math.max(left, axis.left - MARGIN);
        return <rect key={from} x={x} y={AXIS} width={right - x} height={height - AXIS} />;
      })}
    </g>
  );
}

function TrackRow(props: {
  readonly track: Track;
  readonly y: number;
  readonly axis: Axis;
  readonly onSelect: (mark: Mark) => void;
}) {
  const { track, y, axis } = props;
  return (
    <g style={{ color: agentColour(track.agent) }}>
      {(track.agent === null ? [] : track.families).map((family) => {
        const end = family.running ? axis.left + axis.width : axis.xOf(family.last);
        return (
          <line
            key={family.rootId}
            class={family.running ? 'family running' : 'family'}
            x1={axis.xOf(family.first)}
            x2={end}
            y1={y}
            y2={y}
          />
        );
      })}
      {marksOf(
        track.families.flatMap(({ points }) => points),
        axis.xOf,
        axis.ends,
      ).map((mark) => (
        <MarkOf key={mark.points[0]?.id} mark={mark} y={y} onSelect={props.onSelect} />
      ))}
    </g>
  );
}

function MarkOf(props: {
  readonly mark: Mark;
  readonly y: number;
  readonly onSelect: (mark: Mark) => void;
}) {
  const { mark, y } = props;
  const { x, points, lines, takenBack } = mark;
  const radius = Math.min(8.5, 3 + Math.log2(1 + lines) * 0.5);
  const side = radius * 1.8;
  const [first] = points;
  const kind = points.length === 1 ? first?.kind : undefined;
  const shape = { class: `mark taken-back-${takenBack}`, onClick: () => props.onSelect(mark) };
  return (
    <g {...shape}>
      <title>{markTitle(mark)}</title>
      {kind === 'step' ? (
        <path d={diamond(x, y, radius + 1)} />
      ) : kind === 'manual' ? (
        <path d={pin(x, y)} />
      ) : first?.session?.isRun ? (
        <rect x={x - side / 2} y={y - side / 2} width={side} height={side} rx={1.5} />
      ) : (
        <circle cx={x} cy={y} r={radius} />
      )}
    </g>
  );
}

function diamond(x: number, y: number, r: number): string {
  return `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;
}

function pin(x: number, y: number): string {
  return `M${x - 6} ${y - 5}H${x + 6}L${x} ${y + 6}Z`;
}

function markTitle({ points, lines }: Mark): string {
  const [first] = points;
  if (first === undefined) return '';
  if (points.length > 1)
    return `${counted(points.length, 'checkpoint')}, ${counted(lines, 'line')}`;
  const who = agentName(first.session?.agent ?? null);
  const back = first.takenBack === undefined ? '' : ', taken back';
  return `${who}, ${shownTime(first.at)}${back}\n${firstLine(first.label ?? first.title)}\n${counted(linesOf(first), 'line')}`;
}

function Arcs(props: {
  readonly timeline: Timeline;
  readonly axis: Axis;
  readonly selected: Entry | null;
  readonly onSelect: (entry: Entry) => void;
}) {
  const { timeline, axis } = props;
  const times = useMemo(
    () => new Map(timeline.entries.map((entry) => [entry.id as string, entry.at])),
    [timeline.entries],
  );
  const [from, to] = axis.ends;
  const shown = timeline.operations.slice(0, MOST_ARCS).flatMap((operation) => {
    const right = axis.xOf(operation.at);
    const left = axis.xOf(Math.min(...backTo(operation, times)));
    return right < from || left > to ? [] : [{ operation, left, right }];
  });
  return (
    <g class="arcs">
      {shown.map(({ operation, left, right }) => {
        const isSelected =
          props.selected?.id === operation.id ||
          operation.tookBack.some((id) => id === props.selected?.id);
        const state = `${operation.inEffect ? '' : 'undone'} ${isSelected ? 'selected' : ''}`;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list has it for the keyboard.
          <g
            key={operation.id}
            class={`arc ${operation.kind} ${state}`}
            onClick={() => props.onSelect({ ...operation, type: 'operation' })}
          >
            <title>
              {`${displayText(operation.description)}\n${shownTime(operation.at)}, ${counted(operation.tookBack.length, 'checkpoint')} ${operation.kind === 'undo' ? 'brought back' : 'taken back'}`}
            </title>
            <path d={arc(left, right)} />
            <path
              class="head"
              d={`M${left - 4} ${BASE - 6}L${left} ${BASE}L${left + 4} ${BASE - 6}`}
            />
            <circle cx={right} cy={BASE} r={3} />
          </g>
        );
      })}
    </g>
  );
}

const BASE = AXIS + ARCS - 6;

function arc(left: number, right: number): string {
  const rise = Math.min(ARCS - 10, 8 + (right - left) / 6);
  return `M${right} ${BASE}C${right} ${BASE - rise * 1.33} ${left} ${BASE - rise * 1.33} ${left} ${BASE}`;
}

function backTo(operation: TimelineOperation, times: ReadonlyMap<string, number>): number[] {
  const known = operation.tookBack.flatMap((id) => times.get(id) ?? []);
  return known.length > 0 ? known : [operation.at];
}

function Selected(props: { readonly entry: Entry | null; axis: Axis; height: number }) {
  if (props.entry === null) return null;
  const x = props.axis.xOf(props.entry.at);
  return <line class="selected-time" x1={x} x2={x} y1={AXIS - 4} y2={props.height} />;
}

function pick(
  mark: Mark,
  axis: Axis,
  onSelect: (entry: Entry) => void,
  onZoom: (zoom: Zoom) => void,
): void {
  const [first] = mark.points;
  const last = mark.points.at(-1);
  if (first === undefined || last === undefined) return;
  onSelect(last);
  const from = axis.scale.placeOf(first.at);
  const to = axis.scale.placeOf(last.at);
  if (mark.points.length > 1 && to > from) {
    const room = (to - from) * 0.6;
    onZoom({ from: Math.max(0, from - room), to: Math.min(1, to + room) });
  }
}

/** A range of time is chosen by dragging over it. */
function useDrag(axis: Axis, onZoom: (zoom: Zoom) => void) {
  const [range, setRange] = useState<{ from: number; to: number } | null>(null);
  const latest = useRef(range);
  const set = (next: typeof range) => {
    latest.current = next;
    setRange(next);
  };
  const xOf = (event: PointerEvent) =>
    event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0 && xOf(event) > axis.left - MARGIN)
        set({ from: xOf(event), to: xOf(event) });
    },
    onPointerMove: (event: PointerEvent) => {
      if (latest.current !== null) set({ from: latest.current.from, to: xOf(event) });
    },
    onPointerUp: () => {
      const chosen = latest.current;
      set(null);
      if (chosen === null || Math.abs(chosen.to - chosen.from) < 12) return;
      const [from, to] = [axis.placeAt(chosen.from), axis.placeAt(chosen.to)].sort((a, b) => a - b);
      onZoom({ from: from ?? 0, to: to ?? 1 });
    },
    onPointerLeave: () => set(null),
  };
  const isDrawn = range !== null && Math.abs(range.to - range.from) >= 4;
  const drawn = isDrawn ? (
    <rect
      class="chosen"
      x={Math.min(range.from, range.to)}
      y={AXIS}
      width={Math.abs(range.to - range.from)}
      height="100%"
    />
  ) : null;
  return { handlers, drawn };
}

function trackName(track: Track, above: Track | undefined, room: number): string {
  if (above?.agent === track.agent && above.isExecution === track.isExecution) return '';
  const name = track.isExecution ? 'executions' : agentName(track.agent);
  const most = Math.floor((room - 20) / 7);
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

function summary({ entries, operations }: Timeline, tracks: readonly Track[]): string {
  const points = entries.filter((entry): entry is CheckpointEntry => entry.type === 'checkpoint');
  const agents = new Set(tracks.flatMap(({ agent }) => agent ?? []));
  return `Timeline of ${counted(points.length, 'checkpoint')} by ${counted(agents.size, 'agent')}, ${counted(operations.length, 'rewind and undo', 'rewinds and undos')}. The list below has all of them.`;
}
