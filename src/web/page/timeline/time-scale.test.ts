import { describe, expect, it } from 'vitest';
import { makeTimeScale, ticksOf } from './time-scale.ts';

const HOUR = 3_600_000;
const MORNING = new Date('2026-05-10T09:00').getTime();

describe('the axis of time', () => {
  const day = [0, 0.5, 1, 1.4].map((hours) => MORNING + hours * HOUR);
  const times = [...day, ...day.map((time) => time + 24 * HOUR)];
  const scale = makeTimeScale(times);

  it('gives work more room than the night between it', () => {
    const places = times.map((time) => scale.placeOf(time));
    expect(places[0]).toBe(0);
    expect(places.at(-1)).toBe(1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    const night = (places[4] as number) - (places[3] as number);
    expect(night).toBeLessThan(0.1);
  });

  it('leads from a place back to its time', () => {
    for (const time of [...times, MORNING + 10 * HOUR]) {
      expect(scale.timeAt(scale.placeOf(time))).toBeCloseTo(time, -1);
    }
  });

  it('has a place for a single moment, and for none', () => {
    expect(makeTimeScale([MORNING]).placeOf(MORNING)).toBe(0);
    expect(makeTimeScale([]).placeOf(MORNING)).toBe(0);
  });

  it('writes a day rather than a time that is near it', () => {
    const evening = [...day, ...[0, 0.5].map((hours) => MORNING + (24 + hours) * HOUR)];
    const near = makeTimeScale(evening);
    const ticks = ticksOf(near, 0, 1, 0.3);
    expect(ticks.filter(({ isDay }) => isDay)).toHaveLength(2);
  });

  it('writes each day once, and times that are apart', () => {
    const ticks = ticksOf(scale, 0, 1, 0.1);
    expect(ticks.filter(({ isDay }) => isDay)).toHaveLength(2);
    for (const [index, tick] of ticks.slice(1).entries()) {
      expect(tick.place - (ticks[index]?.place ?? 0)).toBeGreaterThanOrEqual(0.1);
    }
    expect(ticks.length).toBeGreaterThan(4);
  });
});
