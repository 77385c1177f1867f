import type { Outcome } from './benchmark.ts';
import { barText, meetsBar, ratioText, spread } from './figures.ts';
import type { Machine } from './machine.ts';

/** All that a run brought to light. */
export interface Findings {
  readonly outcomes: readonly Outcome[];
  readonly remarks: readonly string[];
}

/** `bench/RESULTS.md`. */
export function reportOf({ outcomes, remarks }: Findings, machine: Machine, day: string): string {
  const [single, sized] = [outcomes.filter((one) => !hasSize(one)), outcomes.filter(hasSize)];
  return [
    '# Results',
    '',
    `Written by \`npm run bench\` on ${day}: medians in milliseconds, with the 10th and the 90th`,
    'percentile in parentheses. Both sides take turns in one run; the ratios are what to keep.',
    '',
    ...tableOf(single),
    '',
    '## The scan of the worktree',
    '',
    'In trees with 10 files in each folder. Shadow git is a repository of its own beside the worktree, as',
    'agents keep one, with an index of version 4; git is spawned from a small process.',
    '',
    ...tableOf(bySubject(sized), SIZE),
    '',
    ...remarks.flatMap((remark) => [remark, '']),
    ...machineLines(machine, outcomes),
    '',
  ].join('\n');
}

/** For the terminal. */
export function linesOf(outcome: Outcome): string {
  const { name, against, bar, unit = 'ms' } = outcome.benchmark;
  const { ours, theirs } = outcome.samples;
  const where = hasSize(outcome) ? ` in a tree of ${SIZE.cell(outcome)} files` : '';
  const [our, their] = [spread(ours, unit), spread(theirs, unit)];
  const verdict = meetsBar(outcome) ? 'met' : 'MISSED';
  return [
    `${name}${where}, against ${against}`,
    `    ${our} to ${their}${unit === 'ms' ? ' ms' : ''}: ${ratioText(outcome)}`,
    ...(bar === null ? [] : [`    ${barText(bar)}: ${verdict}`]),
    '',
  ].join('\n');
}

interface Column {
  readonly title: string;
  cell(outcome: Outcome): string;
}

const SIZE: Column = {
  title: 'files',
  cell: ({ benchmark }) => benchmark.files?.toLocaleString('en') ?? '',
};
const SUBJECT: readonly Column[] = [
  { title: 'what', cell: ({ benchmark }) => benchmark.name },
  { title: 'against', cell: ({ benchmark }) => benchmark.against },
];
const FIGURES: readonly Column[] = [
  { title: 'rounds', cell: ({ samples }) => String(samples.ours.length) },
  { title: 'ours', cell: ({ benchmark, samples }) => spread(samples.ours, benchmark.unit) },
  { title: 'theirs', cell: ({ benchmark, samples }) => spread(samples.theirs, benchmark.unit) },
  { title: 'ratio', cell: ratioText },
  { title: 'bar', cell: ({ benchmark }) => barText(benchmark.bar) },
  { title: 'met', cell: verdictOf },
];

function tableOf(outcomes: readonly Outcome[], ...more: readonly Column[]): string[] {
  const columns = [...SUBJECT, ...more, ...FIGURES];
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(columns.map(({ title }) => title)),
    row(columns.map(() => '---')),
    ...outcomes.map((outcome) => row(columns.map(({ cell }) => cell(outcome)))),
  ];
}

function verdictOf(outcome: Outcome): string {
  if (outcome.benchmark.bar === null) return '–';
  return meetsBar(outcome) ? 'yes' : '**no**';
}

function hasSize({ benchmark }: Outcome): boolean {
  return benchmark.files !== undefined;
}

/** The sizes of one comparison below each other, so that its growth is seen. */
function bySubject(outcomes: readonly Outcome[]): Outcome[] {
  const subject = ({ benchmark }: Outcome) => `${benchmark.name}\n${benchmark.against}`;
  return [...Map.groupBy(outcomes, subject).values()].flat();
}

function machineLines(machine: Machine, outcomes: readonly Outcome[]): string[] {
  const { cores, memoryGiB, fileSystem, kernel, node, git, load } = machine;
  const megabytes = Math.max(...outcomes.map(({ spawnerBytes }) => spawnerBytes)) / 1e6;
  return [
    `Machine: ${cores} cores, ${memoryGiB} GiB of memory, ${fileSystem}, ${kernel}, Node ${node}, git ${git};`,
    `load average ${load.toFixed(2)} at the start. Git was spawned from a process of ${megabytes.toFixed(0)} MB.`,
  ];
}
