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
