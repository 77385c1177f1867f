import { once } from 'node:events';
import { isSavepointError } from '../../../src/model/errors.ts';
import { openStorage, type StorageKind } from './open-storage.ts';
import { OWN_KEYS, SHARED_KEYS, type StorageReport, wholeOf } from './values.ts';

// One of several processes on one storage: node worker.ts KIND PLACE NAME SAVES
const [kind = '', place = '', name = '', saves = '0'] = process.argv.slice(2);
const { storage, close } = await openStorage(kind as StorageKind, place);
const report: StorageReport & { saves: number } = {
  name,
  own: {},
  claimed: [],
  saves: 0,
  failures: [],
};
let slot = 0;

process.stdout.write('ready\n');
await once(process.stdin, 'data');
while (report.saves < Number(saves)) {
  const n = report.saves;
  report.saves += 1;
  try {
    await operate(n);
  } catch (error) {
    const { code, message } = error as { code?: string } & Error;
    report.failures.push(`${code ?? ''} ${message}`);
  }
}
await close();
process.stdout.write(JSON.stringify(report));
process.stdin.destroy();

/** Half of them to own keys, some of which are deleted; the others where everybody writes. */
async function operate(n: number): Promise<void> {
  if (n % 2 === 0) return writeOwn(n);
  if (n % 4 === 1) return claim(n);
  await storage.save('shared', `key-${n % SHARED_KEYS}`, wholeOf(name, n));
}

async function writeOwn(n: number): Promise<void> {
  const key = `${name}-${(n / 2) % OWN_KEYS}`;
  await storage.save('own', key, wholeOf(name, n));
  report.own[key] = wholeOf(name, n);
  if (n % 10 !== 0) return;
  await storage.delete('own', key);
  report.own[key] = null;
}

/** The next slot that nobody has yet: it belongs to whoever made it. */
async function claim(n: number): Promise<void> {
  for (; ; slot += 1) {
    try {
      await storage.save('slots', `slot-${slot}`, wholeOf(name, n), { onlyNew: true });
      report.claimed.push(`slot-${slot}`);
      return;
    } catch (error) {
      if (!isSavepointError(error, 'document-exists')) throw error;
    }
  }
}
