/**
 * Places times on one axis from 0 to 1. Work comes in bursts: a time in which nothing happened is cut to a narrow
 * break, so that an afternoon is not lost beside the nights around it.
 */
export interface TimeScale {
  placeOf(time: number): number;
  timeAt(place: number): number;
  readonly stretches: readonly Stretch[];
}

/** A time of work without a long pause, and where it is on the axis. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A pause that is longer is cut. */
const LONG_PAUSE = 45 * MINUTE;
const SHORTEST_STRETCH = 5 * MINUTE;
const LONGEST_BREAK = 8 * MINUTE;
const MOST_OF_BREAKS = 0.25;

/** `times` in ascending order. */
export function makeTimeScale(times: readonly number[]): TimeScale {
  const spans = workIn(times);
  // A single one fills the axis, however short it was.
  const shortest = spans.length === 1 ? 1 : SHORTEST_STRETCH;
  const work = spans.reduce((sum, { from, to }) => sum + Math.max(to - from, shortest), 0);
  const pause =
    spans.length < 2
      ? 0
      : Math.min(
          LONGEST_BREAK,
          (work * MOST_OF_BREAKS) / (1 - MOST_OF_BREAKS) / (spans.length - 1),
        );
  const whole = Math.max(1, work + pause * (spans.length - 1));
  let at = 0;
  const stretches = spans.map(({ from, to }) => {
    const start = at / whole;
    at += Math.max(to - from, shortest);
    const end = at / whole;
    at += pause;
    return { from, to: Math.max(to, from + shortest), start, end };
  });
  return {
    stretches,
    placeOf: (time) => interpolate(stretches, time, TIMES, PLACES),
    timeAt: (place) => interpolate(stretches, place, PLACES, TIMES),
  };
}

function workIn(times: readonly number[]): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (const time of times) {
    const last = spans.at(-1);
    if (last !== undefined && time - last.to <= LONG_PAUSE) last.to = Math.max(last.to, time);
    else spans.push({ from: time, to: time });
  }
  return spans;
}

type Ends = (stretch: Stretch) => readonly [begin: number, end: number];
const TIMES: Ends = ({ from, to }) => [from, to];
const PLACES: Ends = ({ start, end }) => [start, end];

/** From one measure to the other, linear within a stretch and within a break. */
function interpolate(stretches: readonly Stretch[], value: number, of: Ends, to: Ends): number {
  let low = 0;
  let high = stretches.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (of(stretches[middle] as Stretch)[0] <= value) low = middle;
    else high = middle - 1;
  }
  const stretch = stretches[low];
  if (stretch === undefined) return 0;
  const next = stretches[low + 1];
  const [begin, end] = of(stretch);
  const [first, last] = to(stretch);
  if (value <= end || next === undefined) return between(value, begin, end, first, last);
  return between(value, end, of(next)[0], last, to(next)[0]);
}

function between(value: number, a: number, b: number, x: number, y: number): number {
  return b === a ? x : x + ((value - a) / (b - a)) * (y - x);
}

export interface Tick {
  readonly time: number;
  readonly place: number;
  /** The first of a day. */
  readonly isDay: boolean;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE);

/** The times to write at the axis between two places, at least `gap` of the axis apart. */
export function ticksOf(scale: TimeScale, from: number, to: number, gap: number): Tick[] {
  const ticks: Tick[] = [];
  let lastDay = '';
  const isNear = (tick: Tick | undefined, place: number): boolean =>
    tick !== undefined && place - tick.place < gap;
  for (const stretch of scale.stretches) {
    if (stretch.end < from || stretch.start > to) continue;
    const begin = Math.max(stretch.from, scale.timeAt(from));
    const perTime = (stretch.end - stretch.start) / (stretch.to - stretch.from);
    const step = STEPS.find((one) => one * perTime >= gap) ?? DAY;
    const offset = new Date(begin).getTimezoneOffset() * MINUTE;
    const times = [begin];
    const next = Math.ceil((begin - offset + 1) / step) * step + offset;
    for (let time = next; time <= stretch.to; time += step) times.push(time);
    for (const time of times) {
      const place = scale.placeOf(time);
      const day = new Date(time).toDateString();
      // A day is worth more than the time of day before it.
      if (day !== lastDay && isNear(ticks.at(-1), place) && ticks.at(-1)?.isDay === false) {
        ticks.pop();
      }
      if (place > to || isNear(ticks.at(-1), place)) continue;
      ticks.push({ time, place, isDay: day !== lastDay });
      lastDay = day;
    }
  }
  return ticks;
}

/** The part of the axis of time that is shown: from 0 to 1. */
export interface Zoom {
  readonly from: number;
  readonly to: number;
}

export const WHOLE: Zoom = { from: 0, to: 1 };
const NARROWEST = 1e-4;

/** `factor` below 1 comes nearer. What is at `middle` stays there. */
export function zoomed({ from, to }: Zoom, factor: number, middle: number = (from + to) / 2): Zoom {
  const width = Math.min(1, Math.max(NARROWEST, (to - from) * factor));
  const share = to === from ? 0.5 : (middle - from) / (to - from);
  return within(middle - width * share, width);
}

/** Moves by a share of what is shown. */
export function moved({ from, to }: Zoom, share: number): Zoom {
  return within(from + (to - from) * share, to - from);
}

/** Moves as little as needed so that a place is in sight. */
export function showing(zoom: Zoom, place: number): Zoom {
  const { from, to } = zoom;
  const edge = (to - from) * 0.05;
  if (place >= from && place <= to) return zoom;
  return within(place < from ? place - edge : place + edge - (to - from), to - from);
}

function within(from: number, width: number): Zoom {
  const start = Math.min(1 - width, Math.max(0, from));
  return { from: start, to: start + width };
}
