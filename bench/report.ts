import { type Bar, isMet, type Outcome, ratioFor } from './benchmark.ts';
import type { Machine } from './machine.ts';
import { median, quantile } from './measure.ts';

/** `bench/RESULTS.md`. */
export function reportOf(
  outcomes: readonly Outcome[],
  machine: Machine,
  rounds: number,
  day: string,
): string {
  const { cores, memoryGiB, fileSystem, kernel, node, git, load } = machine;
  const megabytes = Math.max(...outcomes.map(({ spawnerBytes }) => spawnerBytes)) / 1e6;
  return [
    '# Results',
    '',
    `Written by \`npm run bench\` on ${day}: medians of ${rounds} rounds in milliseconds, with the 10th and`,
    'the 90th percentile in parentheses. Both sides take turns in one run; the ratios are what to keep.',
    '',
    '| what | against | ours | theirs | ratio | bar | met |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...outcomes.map(rowOf),
    '',
    `Machine: ${cores} cores, ${memoryGiB} GiB of memory, ${fileSystem}, ${kernel}, Node ${node}, git ${git};`,
    `load average ${load.toFixed(2)} at the start. Git was spawned from a process of ${megabytes.toFixed(0)} MB.`,
    '',
  ].join('\n');
}

export function meetsBar(outcome: Outcome): boolean {
  return isMet(outcome.benchmark.bar, figureOf(outcome));
}

/** For the terminal. */
export function linesOf(outcome: Outcome): string {
  const { name, against, bar } = outcome.benchmark;
  const { ours, theirs } = outcome.samples;
  const verdict = meetsBar(outcome) ? 'met' : 'MISSED';
  return [
    `${name}, against ${against}`,
    `    ${spread(ours)} ms to ${spread(theirs)} ms: ${ratioText(bar, figureOf(outcome))}`,
    `    ${barText(bar)}: ${verdict}`,
    '',
  ].join('\n');
}

function rowOf(outcome: Outcome): string {
  const { benchmark, samples } = outcome;
  const cells = [
    benchmark.name,
    benchmark.against,
    spread(samples.ours),
    spread(samples.theirs),
    ratioText(benchmark.bar, figureOf(outcome)),
    barText(benchmark.bar),
    meetsBar(outcome) ? 'yes' : '**no**',
  ];
  return `| ${cells.join(' | ')} |`;
}

function figureOf({ benchmark, samples }: Outcome): number {
  return ratioFor(benchmark.bar, median(samples.ours), median(samples.theirs));
}

function spread(samples: readonly number[]): string {
  const [low, middle, high] = [0.1, 0.5, 0.9].map((part) => quantile(samples, part).toFixed(2));
  return `${middle} (${low}–${high})`;
}

function ratioText({ kind }: Bar, ratio: number): string {
  return kind === 'at-most'
    ? `${ratio.toFixed(2)} times theirs`
    : `${ratio.toFixed(1)} times faster`;
}

function barText({ kind, times }: Bar): string {
  return kind === 'at-most' ? `at most ${times} times` : `at least ${times} times faster`;
}
