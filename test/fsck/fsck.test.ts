import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStore } from '../../src/store/sqlite/check/check-store.ts';
import { FORMAT } from '../../src/store/sqlite/schema.ts';
import { numberFrom, randomFrom } from '../crash/campaign.ts';
import { damageOne } from './damage.ts';
import { dumpOf, saidBy } from './dump.ts';
import { restoreFrom, wrongBytes } from './restored.ts';
import { SampleStore } from './sample-store.ts';

// `npm run test:campaigns` makes 500.
const DAMAGES = numberFrom('SAVEPOINT_DAMAGES', 20);
const SEED = numberFrom('SAVEPOINT_DAMAGE_SEED', 20_261_115);

let sample: SampleStore;
let whole: string;
beforeAll(async () => {
  sample = await SampleStore.make();
  whole = await dumpOf(sample.copy(join(sample.base, 'whole')));
});
afterAll(() => sample.remove());

it('finds nothing in a store that is whole, and leaves it as it is', async () => {
  const copy = sample.copy(join(sample.base, 'checked'));
  const check = await checkStore(copy.store);
  expect(check).toMatchObject({ problems: [], readable: true });
  expect(check.rows).toBeGreaterThan(30);
  expect(check.blobs).toBeGreaterThan(20);
  expect(await dumpOf(copy)).toBe(whole);
});

it('takes it for right that somebody deleted a session with SQL of their own', async () => {
  const copy = sample.copy(join(sample.base, 'checked'));
  const database = new DatabaseSync(join(copy.store, 'store.db'));
  database.exec('PRAGMA foreign_keys = ON; DELETE FROM sessions');
  database.close();
  expect((await checkStore(copy.store)).problems).toEqual([]);
});

it('tells a format number that was damaged from a store of another format', async () => {
  const copy = sample.copy(join(sample.base, 'checked'));
  const run = (sql: string): void => {
    const database = new DatabaseSync(join(copy.store, 'store.db'));
    database.exec(sql);
    database.close();
  };
  for (const format of [0, FORMAT + 1]) {
    run(`PRAGMA user_version = ${format}`);
    expect((await checkStore(copy.store)).problems[0]).toMatchObject({ kind: 'database' });
  }
  run('ALTER TABLE checkpoints ADD COLUMN later TEXT');
  await expect(checkStore(copy.store)).rejects.toMatchObject({ code: 'store-too-new' });
});

describe('many damages', () => {
  const missed: string[] = [];
  const wrong: string[] = [];
  let named = 0;

  beforeAll(async () => {
    const random = randomFrom(SEED);
    const right = await restoreFrom(sample.copy(join(sample.base, 'right')));
    expect([...right.trees.values()].map((tree) => tree?.size)).toEqual([4, 9, 10]);
    for (let turn = 0; turn < DAMAGES; turn += 1) {
      const copy = sample.copy(join(sample.base, 'damaged'));
      const damage = damageOne(copy.store, random);
      const title = `${turn}: ${damage.file}, ${damage.what}`;
      const { problems } = await checkStore(copy.store);
      if (problems.some(({ kind }) => kind !== 'leftover')) named += 1;
      else if ((await saidBy(copy.copy(join(sample.base, 'unnamed')))) !== whole)
        missed.push(title);
      const bytes = wrongBytes(await restoreFrom(copy), right);
      wrong.push(...bytes.map((each) => `${title}: ${each}`));
    }
  }, 3_600_000);

  it('are each named, or nothing that the store says is changed by them', () => {
    expect(missed).toEqual([]);
    expect(named).toBeGreaterThan(DAMAGES / 3);
  });

  it('never bring a wrong byte about, neither in a tree nor by a rewind', () => {
    expect(wrong).toEqual([]);
  });
});

it('never restores what a row says that was changed behind our back, and names it', async () => {
  const right = await restoreFrom(sample.copy(join(sample.base, 'right')));
  const problems: string[] = [];
  for (const column of ['before_blob', 'after_blob', 'path', 'before_mode', 'session']) {
    for (let seq = 5; seq < 45; seq += 6) {
      const copy = sample.copy(join(sample.base, 'damaged'));
      const changed = changeRow(copy, column, seq);
      const title = `${column} of ${seq}`;
      const isNamed = (await checkStore(copy.store)).problems.length > 0;
      if (changed && !isNamed) problems.push(`${title} is not named`);
      const wrong = wrongBytes(await restoreFrom(copy), right);
      problems.push(...wrong.map((each) => `${title}: ${each}`));
    }
  }
  expect(problems).toEqual([]);
});

/** Whether there is such a row, with a value in that column. */
function changeRow({ store }: SampleStore, column: string, seq: number): boolean {
  const options = { enableForeignKeyConstraints: false };
  const database = new DatabaseSync(join(store, 'store.db'), options);
  const sql = `UPDATE changes SET ${column} = ${column} + 1 WHERE seq = ? AND ${column} IS NOT NULL`;
  const { changes } = database.prepare(sql).run(seq);
  database.close();
  return Number(changes) > 0;
}
