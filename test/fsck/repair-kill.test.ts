import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isDamage } from '../../src/store/sqlite/check/problem.ts';
import { repairStore } from '../../src/store/sqlite/repair/repair-store.ts';
import { ChildScript } from '../setup/child-script.ts';
import { dump, dumpOf } from './dump.ts';
import { SampleStore } from './sample-store.ts';

const REPAIR = new URL('../../src/store/sqlite/repair/repair-store.ts', import.meta.url).href;

/** Kills itself right before the Nth call that gives a file of the store another name. */
const SCRIPT = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const [, directory, nth] = process.argv;
  let calls = 0;
  for (const name of ['linkSync', 'renameSync']) {
    const real = fs[name];
    fs[name] = (...args) => {
      calls += 1;
      if (calls === Number(nth)) process.kill(process.pid, 'SIGKILL');
      return real(...args);
    };
  }
  syncBuiltinESMExports();
  const { repairStore } = await import('${REPAIR}');
  await repairStore(directory);
`;

let sample: SampleStore;
let damaged: SampleStore;
let whole: string;
beforeAll(async () => {
  sample = await SampleStore.make();
  const store = await sample.openStore();
  const savepoint = await sample.open(store);
  // Only the log has this: a copy of the files of an open store is what a kill leaves.
  await sample.write(savepoint, 'late', 'src/late.txt', 'only in the log\n');
  whole = await dump(store);
  damaged = sample.copy(join(sample.base, 'damaged'));
  await savepoint.close();
  breakIndex(join(damaged.store, 'store.db'));
});
afterAll(() => sample.remove());

it('loses nothing when a repair is killed before any change of a name', async () => {
  let [calls, exitCode] = [0, null as number | null];
  while (exitCode === null) {
    calls += 1;
    const copy = damaged.copy(join(sample.base, 'copy'));
    expect(existsSync(join(copy.store, 'store.db-wal'))).toBe(true);
    exitCode = await new ChildScript(SCRIPT, copy.store, String(calls)).ends();
    const { found } = await repairStore(copy.store);
    expect(found.problems.some(isDamage)).toBe(exitCode === null);
    expect(await dumpOf(copy), `killed before call ${calls}`).toBe(whole);
  }
  expect(exitCode).toBe(0);
  // The old database is linked, and the new one takes its name.
  expect(calls).toBeGreaterThan(2);
}, 120_000);

/** The root page of an index, in the database itself. */
function breakIndex(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'windows_session'";
  const page = Number(database.prepare(sql).get()?.rootpage);
  database.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x55, (page - 1) * 4096, page * 4096));
}
