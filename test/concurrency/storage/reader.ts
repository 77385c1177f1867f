import { setTimeout } from 'node:timers/promises';
import { openStorage, type StorageKind } from './open-storage.ts';
import { isWhole } from './values.ts';

// Reads what others write, until it is told to stop: node reader.ts KIND PLACE
const [kind = '', place = ''] = process.argv.slice(2);
const { storage, close } = await openStorage(kind as StorageKind, place);
const problems = new Set<string>();
let stopped = false;
let reads = 0;
process.stdin.once('data', () => {
  stopped = true;
});

process.stdout.write('ready\n');
while (!stopped) {
  for (const category of ['shared', 'own', 'slots']) await readAll(category);
  // The others need the machine too.
  await setTimeout(2);
}
await close();
process.stdout.write(JSON.stringify({ reads, problems: [...problems].slice(0, 20) }));
process.stdin.destroy();

async function readAll(category: string): Promise<void> {
  for (const key of await storage.list(category)) {
    if (stopped) return;
    try {
      const value = await storage.load(category, key);
      reads += 1;
      // What was deleted since it was listed is fine.
      if (value !== null && !isWhole(value)) problems.add(`${category}/${key} is torn`);
    } catch (error) {
      problems.add(`${category}/${key}: ${(error as Error).message}`);
    }
  }
}
