import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { ProjectStorage } from '../../src/execution/index.ts';
import type { Savepoint, Store } from '../../src/index.ts';
import { checkStore } from '../../src/store/sqlite/check/check-store.ts';
import { isDamage } from '../../src/store/sqlite/check/problem.ts';
import { numberFrom, randomFrom } from '../crash/campaign.ts';
import { damageFile } from './damage.ts';
import { dump, saidBy } from './dump.ts';
import { restoreFrom, wrongBytes } from './restored.ts';
import { SampleStore } from './sample-store.ts';

// `npm run test:campaigns` makes 300 of each kind.
const DAMAGES = numberFrom('SAVEPOINT_LOG_DAMAGES', 12);
const SEED = numberFrom('SAVEPOINT_DAMAGE_SEED', 20_261_115) + 2;

const samples: SampleStore[] = [];
afterAll(() => {
  for (const sample of samples) sample.remove();
});

describe('damage of the log that a killed process left', () => {
  it('loses commits from its end at most, and never brings a wrong byte about', async () => {
    const killed = await kill();
    const ends = new Set<number>();
    const problems = await damagedLogs(killed, ({ end, named }) => {
      ends.add(end);
      return end === -1 || named.length > 0 ? [`it says ${end}, and fsck ${named.join()}`] : [];
    });
    expect(problems).toEqual([]);
    expect(ends.size).toBeGreaterThan(3);
  }, 3_600_000);

  it('is named where SQLite had copied a part of it into the database, and pages do not fit', async () => {
    const killed = await kill({ copyAfter: 4 });
    let misfits = 0;
    const problems = await damagedLogs(killed, ({ end, named }) => {
      if (end === -1) misfits += 1;
      return end === -1 && named.length === 0 ? ['pages do not fit, and fsck names nothing'] : [];
    });
    expect(problems).toEqual([]);
    expect(misfits).toBeGreaterThan(1);
  }, 3_600_000);
});

interface Killed {
  readonly sample: SampleStore;
  /** What the store said before the first commit that is in the log, and after each of them. */
  readonly said: readonly string[];
}

const TURNS = 7;

/** A copy of the files while they are open has what a kill leaves: SQLite keeps nothing back. */
async function kill({ copyAfter }: { copyAfter?: number } = {}): Promise<Killed> {
  const sample = await SampleStore.make();
  samples.push(sample);
  const store = await sample.openStore();
  const said = [await dump(store)];
  tellAfterCommits(store, async () => void said.push(await dump(store)));
  const savepoint = await sample.open(store);
  const documents = new ProjectStorage({ store, lockTimeoutMs: 1_000, now: () => 1 });
  const reader = new DatabaseSync(join(sample.store, 'store.db'), { readOnly: true });
  try {
    for (let n = 0; n < TURNS; n += 1) {
      await turn(sample, savepoint, n);
      await documents.save('state', `turn ${n % 2}`, { n, text: 'text '.repeat(150 * n) });
      if (n === copyAfter) copyLog(reader, sample);
    }
    return { sample: sample.copy(join(sample.base, 'killed')), said };
  } finally {
    reader.close();
    await savepoint.close();
  }
}

async function turn(sample: SampleStore, savepoint: Savepoint, n: number): Promise<void> {
  const messageId = `late ${n}`;
  const { id } = await savepoint.checkpoint({ sessionId: 'agent', messageId });
  await sample.write(savepoint, messageId, 'src/app.txt', `late version ${n}\n`.repeat(50));
  await sample.write(savepoint, messageId, `src/late-${n}.bin`, `${n}`.repeat(1_000 * n));
  sample.put('kept/other.txt', `by hand, ${n}\n`);
  if (n !== 2) return;
  await savepoint.rewind({ to: id });
  await savepoint.undo();
}

function tellAfterCommits(store: Store, tell: () => Promise<void>): void {
  const { timeline, documents } = store;
  const [commit, put] = [timeline.commit, documents.put];
  const setProject = store.setProject.bind(store);
  const told = async <Result>(written: Promise<Result>): Promise<Result> => {
    const result = await written;
    await tell();
    return result;
  };
  timeline.commit = (batch) => told(commit(batch));
  documents.put = (write, options) => told(put(write, options));
  store.setProject = (identity) => told(setProject(identity));
}

/** The reader, who stays, keeps SQLite from beginning the log anew: the commits that follow are added to it. */
function copyLog(reader: DatabaseSync, { store }: SampleStore): void {
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM changes').get();
  const database = new DatabaseSync(join(store, 'store.db'));
  const row = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  database.close();
  expect(row?.checkpointed).toBe(row?.log);
  expect(row?.log).toBeGreaterThan(50);
}

interface Outcome {
  /** The number of the commit up to which all is there, and nothing else; -1 where there is none. */
  readonly end: number;
  /** What fsck calls damage. */
  readonly named: readonly string[];
}

async function damagedLogs(
  { sample, said }: Killed,
  judge: (outcome: Outcome) => string[],
): Promise<string[]> {
  const random = randomFrom(SEED);
  const right = await restoreFrom(sample.copy(`${sample.base}-right`));
  expect(right.trees.size).toBe(3);
  const problems: string[] = [];
  for (let turns = 0; turns < DAMAGES; turns += 1) {
    const copy = sample.copy(`${sample.base}-damaged`);
    const what = damageFile(join(copy.store, 'store.db-wal'), random);
    const found = (await checkStore(copy.store)).problems.filter(isDamage);
    const named = found.map(({ message }) => message);
    const end = said.lastIndexOf(await saidBy(copy.copy(`${sample.base}-opened`)));
    const wrong = wrongBytes(await restoreFrom(copy), right);
    problems.push(...[...judge({ end, named }), ...wrong].map((text) => `${what}: ${text}`));
  }
  return problems;
}
