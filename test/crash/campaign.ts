/** Runs `work` on all items, a few at a time. Results come in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
  width = 3,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await work(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

/** Whether this is `npm run test:campaigns`, which has the time for every case. */
export const ALL_RUNS: boolean = process.env.SAVEPOINT_CAMPAIGNS !== undefined;

/** A number from the environment, for campaigns that are longer than the usual run. */
export function numberFrom(name: string, usual: number): number {
  const value = process.env[name];
  if (value === undefined || value === '') return usual;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0) throw new Error(`${name} must be a whole number`);
  return number;
}

/** `count` items spread evenly over all of them; all, when there are no more. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, index) => {
    return items[Math.floor((index * items.length) / count)] as Item;
  });
}

/** Random numbers between 0 and 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The beginning of a list of problems: one cause shows in hundreds of runs. */
function firstFew(problems: readonly string[]): string[] {
  const few = problems.slice(0, 12);
  return problems.length > few.length ? [...few, `and ${problems.length - few.length} more`] : few;
}

/** A verdict of which each problem says where it was met; that the check itself fails is one, too. */
export async function titled<Verdict extends { problems: string[] }>(
  title: string,
  check: () => Promise<Verdict>,
): Promise<Verdict | { problems: string[] }> {
  try {
    const verdict = await check();
    return { ...verdict, problems: verdict.problems.map((problem) => `${title}: ${problem}`) };
  } catch (error) {
    return { problems: [`${title}: ${error instanceof Error ? error.stack : error}`] };
  }
}

export function allProblems(runs: readonly { problems: readonly string[] }[]): string[] {
  return firstFew(runs.flatMap(({ problems }) => problems));
}
