import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, numberFrom, randomFrom } from './campaign.ts';
import type { ChildReport, Step } from './child/steps.ts';
import { lookAfterCuts, type Result } from './disk/look-after-cuts.ts';
import { documentsBeside } from './scenario/documents.ts';
import { makePlace, makeScratch, type Place, withFolder } from './scenario/place.ts';
import { copyTree, removeTree } from './scenario/tree.ts';
import { describeWithStrace } from './strace/needs-strace.ts';
import { record } from './strace/recording.ts';

const RANDOM_CUTS = numberFrom('SAVEPOINT_CRASH_RUNS', 30);
const SEED = numberFrom('SAVEPOINT_CRASH_SEED', 20_260_101);

// A key that is replaced, and another one, over several sectors and pages.
const SAVES = [
  { key: 'one', text: 'first ', times: 2_000 },
  { key: 'two', text: 'other ', times: 50 },
  { key: 'one', text: 'second ', times: 3_000 },
] as const;
const STEPS: readonly Step[] = [
  { do: 'ready' },
  ...SAVES.map((save) => ({ do: 'save-document', ...save }) as const),
];

describeWithStrace('a power cut while documents are saved', () => {
  let scratch: string;

  beforeAll(() => {
    scratch = makeScratch();
  });

  afterAll(() => removeTree(scratch));

  test('tears none, and loses none that was acknowledged', { timeout: 3_600_000 }, async () => {
    const results = await withFolder(scratch, async (folder) => {
      const place = makePlace(join(folder, 'place'));
      const before = join(folder, 'before');
      copyTree(place.folder, before);
      const { calls } = await record(scratch, place, STEPS);
      const random = randomFrom(SEED);
      const moments = { random, atSyncs: true, randomCuts: RANDOM_CUTS };
      return lookAfterCuts(scratch, { calls, before, recordedAt: place.folder, ...moments }, look);
    });
    expect(allProblems(results)).toEqual([]);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set([0, 1, 2, 3]));
  });
});

/** How many saves are there, and what is wrong with them. */
async function look(place: Place, reports: readonly ChildReport[]): Promise<Result> {
  const storage = documentsBeside(place.project);
  const promised = reports.filter(({ say }) => say === 'done').length;
  const one = await textOf(place, 'one');
  const two = await textOf(place, 'two');
  const there = [one === textAt(0) || one === textAt(2), two === textAt(1), one === textAt(2)];
  const found = there.filter(Boolean).length;
  const problems = [
    ...(one === null || there[0] ? [] : ['the first key holds what nobody saved']),
    ...(two === null || there[1] ? [] : ['the second key holds what nobody saved']),
    ...(there.slice(0, promised).every(Boolean)
      ? []
      : [`save ${promised} was promised and is lost`]),
  ];
  // The next one can go on, and tidies up after the one that died at the same key.
  for (const key of ['one', 'two', 'next']) await storage.save('session', key, { n: 1 });
  const left = readdirSync(join(storage.directory, 'session')).filter((name) =>
    name.startsWith('.'),
  );
  return { outcome: found, problems: [...problems, ...left.map((name) => `${name} was left`)] };
}

function textAt(save: number): string {
  const { text = '', times = 0 } = SAVES[save] ?? {};
  return text.repeat(times);
}

async function textOf({ project }: Place, key: string): Promise<string | null> {
  const value = await documentsBeside(project)
    .load('session', key)
    .catch((error: Error) => ({ text: error.message }));
  return value === null ? null : (value as { text: string }).text;
}
