import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/index.ts';
import { checkStore } from '../../src/store/sqlite/check/check-store.ts';
import { repairStore } from '../../src/store/sqlite/repair/repair-store.ts';
import { numberFrom, randomFrom } from '../crash/campaign.ts';
import { damageOne } from './damage.ts';
import { dumpOf } from './dump.ts';
import { type Restored, restoreFrom, wrongBytes } from './restored.ts';
import { SampleStore } from './sample-store.ts';

// `npm run test:campaigns` makes 300.
const REPAIRS = numberFrom('SAVEPOINT_REPAIRS', 12);
const SEED = numberFrom('SAVEPOINT_DAMAGE_SEED', 20_261_115) + 1;

let sample: SampleStore;
let copy: SampleStore;
let right: Restored;
beforeAll(async () => {
  sample = await SampleStore.make();
  right = await restoreFrom(sample.copy(join(sample.base, 'right')));
});
beforeEach(() => {
  copy = sample.copy(join(sample.base, 'copy'));
});
afterAll(() => sample.remove());

function execute(sql: string): void {
  const database = new DatabaseSync(join(copy.store, 'store.db'));
  database.exec(sql);
  database.close();
}

describe('a repair', () => {
  it('makes a store work again, whatever was damaged, and restores no wrong byte', async () => {
    const random = randomFrom(SEED);
    const problems: string[] = [];
    for (let turn = 0; turn < REPAIRS; turn += 1) {
      copy = sample.copy(join(sample.base, 'copy'));
      const { file, what } = damageOne(copy.store, random);
      const { left } = await repairStore(copy.store);
      const found = left.problems.filter(({ kind }) => kind !== 'leftover');
      const wrong = wrongBytes(await restoreFrom(copy), right);
      const all = [...found.map(({ message }) => message), ...wrong];
      problems.push(...all.map((text) => `${turn}: ${file}, ${what}: ${text}`));
    }
    expect(problems).toEqual([]);
  }, 3_600_000);

  it('changes nothing in a store that is not damaged', async () => {
    const before = await dumpOf(copy);
    expect(await repairStore(copy.store)).toMatchObject({ folder: null, salvaged: false, rows: 0 });
    expect(await dumpOf(copy)).toBe(before);
  });

  it('loses a damaged content alone, and keeps the old database', async () => {
    execute(
      "UPDATE blobs SET data = x'00ff' WHERE id = (SELECT after_blob FROM changes WHERE seq = 9)",
    );
    const { problems } = await checkStore(copy.store);
    expect(problems[0]).toMatchObject({ kind: 'blob', paths: [expect.stringMatching(/^src\//)] });
    expect(problems[0]?.checkpoints.length).toBeGreaterThan(0);
    const repair = await repairStore(copy.store);
    expect(repair.lost).toEqual(problems);
    expect(repair).toMatchObject({ salvaged: true, left: { problems: [{ kind: 'leftover' }] } });
    expect(readdirSync(repair.folder ?? '')).toEqual(['store.db']);
    const store = await sqliteStore({ directory: copy.store });
    const unknowns = (await store.timeline.changes({})).filter(
      ({ before, after }) => before.kind === 'unknown' || after?.kind === 'unknown',
    );
    expect(new Set(unknowns.map(({ path }) => path)).size).toBe(1);
    expect(unknowns[0]?.after).toEqual({ kind: 'unknown', reason: 'damaged' });
    await store.close();
  });

  it('loses only the documents that hold a damaged part', async () => {
    const last = "SELECT children ->> '$[#-1]' FROM documents WHERE key = '\"after 12\"'";
    execute(`UPDATE parts SET data = 'other' WHERE id = (${last})`);
    const { problems } = await checkStore(copy.store);
    expect(problems.map(({ message }) => message).join()).toMatch(
      /the part \d+ of documents is damaged/,
    );
    const repair = await repairStore(copy.store);
    expect(repair.left.problems.filter(({ kind }) => kind !== 'leftover')).toEqual([]);
    const store = await sqliteStore({ directory: copy.store });
    const keys = (await store.documents.list('state')).map(({ key }) => key);
    expect(keys).toEqual(['after 4', 'after 8', 'small']);
    expect((await store.timeline.steps('exec')).every(({ root }) => root !== null)).toBe(true);
    await store.close();
  });

  it('removes a damaged checkpoint, which stays in the old database', async () => {
    execute("UPDATE checkpoints SET seq = seq + 1 WHERE message_id = 'm3'");
    const { problems } = await checkStore(copy.store);
    expect(problems.map(({ message }) => message).join()).toMatch(
      /the row \w+ of checkpoints is not what/,
    );
    const { folder } = await repairStore(copy.store);
    expect(messagesIn(folder ?? '')).toContain('m3');
    const store = await sqliteStore({ directory: copy.store });
    expect(await store.timeline.checkpoints({ messageId: 'm3' })).toEqual([]);
    expect(await store.timeline.checkpoints({ messageId: 'm4' })).toHaveLength(1);
    await store.close();
  });

  it('copies all rows where only the page of an index is broken', async () => {
    const file = join(copy.store, 'store.db');
    const bytes = readFileSync(file);
    const { rootpage } = pageOf('changes_path');
    writeFileSync(file, bytes.fill(0x55, (rootpage - 1) * 4096, rootpage * 4096));
    const repair = await repairStore(copy.store);
    expect(repair.salvaged).toBe(true);
    expect(existsSync(join(repair.folder ?? '', 'store.db'))).toBe(true);
    // An index alone was broken: no row is lost.
    expect(repair.lost).toEqual([]);
    expect(await dumpOf(copy)).toBe(await dumpOf(sample.copy(join(sample.base, 'whole'))));
  });

  it('names every content that was lost with a page, and the paths that had it', async () => {
    const pages = readFileSync(join(copy.store, 'store.db'));
    const { rootpage } = pageOf('blobs');
    pages.fill(0x55, (rootpage - 1) * 4096, rootpage * 4096);
    writeFileSync(join(copy.store, 'store.db'), pages);
    const { lost, kept } = await repairStore(copy.store);
    expect(lost[0]?.message).toMatch(/^0 of \d+ rows of blobs could be read$/);
    const contents = lost.filter(({ message }) => message.startsWith('a content is named'));
    const paths = new Set(contents.flatMap((one) => one.paths));
    expect([...paths]).toEqual(expect.arrayContaining(['src/app.txt', 'src/only-1.txt']));
    expect(contents.some(({ checkpoints }) => checkpoints.length > 0)).toBe(true);
    expect(kept).toEqual({ checkpoints: 10, changes: 29 });
    const store = await sqliteStore({ directory: copy.store });
    const [change] = (await store.timeline.changes({})).filter(
      ({ path }) => path === 'src/only-1.txt',
    );
    expect(change?.after).toEqual({ kind: 'unknown', reason: 'damaged' });
    await store.close();
  });

  it('keeps what lies before the cut of a database that was cut short, and says what is lost', async () => {
    const savepoint = await copy.open();
    // Far more pages than the rest of the store has.
    for (let n = 0; n < 30; n += 1) {
      await savepoint.checkpoint({ label: `late ${n}`, description: 'long '.repeat(2_000) });
    }
    await savepoint.close();
    const file = join(copy.store, 'store.db');
    truncateSync(file, Math.floor(readFileSync(file).length * 0.7));
    const { lost, kept, left } = await repairStore(copy.store);
    expect(left.problems.every(({ kind }) => kind === 'leftover')).toBe(true);
    expect(lost[0]?.message).toMatch(/^\d+ of \d+ rows of checkpoints could be read$/);
    expect(kept.changes).toBe(29);
    expect(kept.checkpoints).toBeGreaterThanOrEqual(10);
    expect(kept.checkpoints).toBeLessThan(40);
  });

  it('begins an empty store where SQLite cannot read the database, and keeps the old one', async () => {
    truncateSync(join(copy.store, 'store.db'), 50);
    const { found, left, folder, lost, kept } = await repairStore(copy.store);
    expect(lost).toMatchObject([{ message: 'no row of the database could be read' }]);
    expect(kept).toEqual({ checkpoints: 0, changes: 0 });
    expect(found.readable).toBe(false);
    expect(found.problems[0]?.message).toBe('the database is not a Savepoint store');
    expect(left.problems.every(({ kind }) => kind === 'leftover')).toBe(true);
    expect(readFileSync(join(folder ?? '', 'store.db'))).toHaveLength(50);
    const savepoint = await copy.open();
    expect(await savepoint.list()).toEqual([]);
    await savepoint.close();
  });
});

/** The messages of all checkpoints in a database that was set aside. */
function messagesIn(folder: string): unknown[] {
  const database = new DatabaseSync(join(folder, 'store.db'), { readOnly: true });
  const rows = database.prepare('SELECT message_id FROM checkpoints').all();
  database.close();
  return rows.map(({ message_id }) => message_id);
}

function pageOf(name: string): { rootpage: number } {
  const database = new DatabaseSync(join(sample.store, 'store.db'), { readOnly: true });
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name);
  database.close();
  return row as { rootpage: number };
}
