import { type Bar, isMet, type Outcome, ratioFor, type Unit } from './benchmark.ts';
import { median, quantile } from './measure.ts';

/** The median, with the 10th and the 90th percentile where there are several samples. */
export function spread(samples: readonly number[], unit: Unit = 'ms'): string {
  const text = (part: number) => figure(quantile(samples, part), unit);
  return samples.length === 1 ? text(0.5) : `${text(0.5)} (${text(0.1)}–${text(0.9)})`;
}

export function ratioText({ benchmark: { bar }, samples }: Outcome): string {
  const ratio = ratioFor(bar, median(samples.ours), median(samples.theirs));
  return bar?.kind === 'at-most'
    ? `${ratio.toFixed(2)} times theirs`
    : `${ratio.toFixed(1)} times faster`;
}

export function barText(bar: Bar | null): string {
  if (bar === null) return '–';
  const { kind, times } = bar;
  return kind === 'at-most' ? `at most ${times} times` : `at least ${times} times faster`;
}

/** Where there is no bar, none is missed. */
export function meetsBar({ benchmark: { bar }, samples }: Outcome): boolean {
  return bar === null || isMet(bar, ratioFor(bar, median(samples.ours), median(samples.theirs)));
}

function figure(value: number, unit: Unit): string {
  if (unit === 'bytes') return `${Math.round(value / 1024).toLocaleString('en')} KiB`;
  // Beyond a tenth of a second nobody reads the digits after the point.
  return value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
}
