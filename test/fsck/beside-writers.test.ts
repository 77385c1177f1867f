import { expect, it } from 'vitest';
import { SQLiteStorage } from '../../src/execution/index.ts';
import { sqliteStore } from '../../src/index.ts';
import { checkStore } from '../../src/store/sqlite/check/check-store.ts';
import { numberFrom } from '../crash/campaign.ts';
import { builtProgram } from '../setup/built.ts';
import { ChildScript } from '../setup/child-script.ts';
import { withTemporaryFolder } from '../setup/temporary-folder.ts';

// `npm run test:campaigns` looks 3,000 times.
const LOOKS = numberFrom('SAVEPOINT_LOOKS', 30);

/** Its documents are in rows of their own and in parts, are replaced and removed; its store is closed now and then. */
const SAVER = `
  const { sqliteStore } = await import(process.argv[1]);
  const { SQLiteStorage } = await import(process.argv[2]);
  const [directory, name] = process.argv.slice(3);
  for (let n = 0; ; ) {
    const store = await sqliteStore({ directory });
    const documents = new SQLiteStorage({ store });
    for (const end = n + 25; n < end; n += 1) {
      const messages = Array.from({ length: n % 40 }, (_, at) => 'message ' + at + ' of ' + name + ' '.repeat(300));
      await documents.save('state', name + n % 3, { messages });
      if (n % 5 === 0) await documents.delete('state', name + (n + 1) % 3);
      await documents.save('saved', name, n);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await store.close();
    console.log('saved ' + n + ';');
  }
`;

const ENTRIES = [builtProgram('src/index.ts'), builtProgram('src/execution/index.ts')];

it(
  'fsck finds nothing in a store to which two processes save documents',
  () =>
    withTemporaryFolder(async (directory) => {
      await (await sqliteStore({ directory })).close();
      const savers = ['one', 'two'].map(
        (name) => new ChildScript(SAVER, ...ENTRIES, directory, name),
      );
      try {
        for (const saver of savers) await saver.says('saved 25;');
        const before = await saved(directory);
        const haveSaved = async (): Promise<boolean> =>
          (await saved(directory)).every((count, at) => count > (before[at] ?? 0));
        const problems: string[] = [];
        // On a busy machine both savers may wait for the first looks.
        for (let look = 0; look < LOOKS || !(await haveSaved()); look += 1) {
          const check = await checkStore(directory);
          problems.push(...check.problems.map(({ message }) => `${look}: ${message}`));
          if (look > 100 * LOOKS) throw new Error('nobody saved anything meanwhile');
        }
        expect(problems).toEqual([]);
      } finally {
        for (const saver of savers) await saver.kill();
      }
    }),
  3_600_000,
);

/** How many times each of them has saved. */
async function saved(directory: string): Promise<number[]> {
  const store = await sqliteStore({ directory });
  const documents = new SQLiteStorage({ store });
  try {
    const found = [await documents.load('saved', 'one'), await documents.load('saved', 'two')];
    return found.map((each) => Number(each));
  } finally {
    await store.close();
  }
}
