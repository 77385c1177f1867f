import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

const SECRET = 'dummy-key-1c9f';
let bed: Bed;
beforeEach(async () => {
  bed = await makeBed({ exclude: ['.env', 'secrets/'], scan: true });
});
afterEach(() => bed.remove());

/** Whether a text lies in any file of the store; nothing is compressed before a compaction. */
function isStored(text: string): boolean {
  const files = readdirSync(bed.home, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(bed.home, name),
  );
  return files.some((file) => statSync(file).isFile() && readFileSync(file).includes(text));
}

it('never reads an excluded file, whoever names or finds it', async () => {
  bed.put('.env', SECRET);
  bed.put('secrets/deep/key', SECRET);
  bed.put('plain', 'plain-text-77');
  await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1' });
  await bed.write('m1', '.env', `${SECRET} changed`);
  await bed.tool('m1', ['secrets'], () => bed.put('secrets/new', SECRET));
  await bed.savepoint.scan();
  expect(isStored('plain-text-77')).toBe(true);
  expect(isStored(SECRET)).toBe(false);
});

it('names it in a rewind, and leaves it as it is', async () => {
  bed.put('.env', 'old');
  bed.put('plain', 'old');
  await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1' });
  await bed.tool('m1', ['.env', 'plain'], () => {
    bed.put('.env', 'new');
    bed.put('plain', 'new');
  });
  const receipt = await bed.rewind('m1');
  expect(receipt.skipped).toMatchObject([{ path: '.env', reason: 'before-unknown-excluded' }]);
  expect([bed.text('.env'), bed.text('plain')]).toEqual(['new', 'old']);
});

it('leaves one alone that the agent made, or removed', async () => {
  bed.put('secrets/gone', 'old');
  await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1' });
  await bed.tool('m1', ['.env', 'secrets/gone'], () => {
    bed.put('.env', 'new');
    rmSync(bed.at('secrets/gone'));
  });
  await bed.rewind('m1');
  expect(bed.tree()).not.toHaveProperty(['secrets/gone']);
  expect(bed.text('.env')).toBe('new');
});

it('takes back what was recorded of a file that is excluded since', async () => {
  await bed.write('m1', 'later', 'old');
  await bed.write('m2', 'later', 'new');
  await bed.reopen({ exclude: ['later'], scan: true });
  await bed.savepoint.scan();
  const receipt = await bed.rewind('m2');
  expect(receipt.restoredFiles).toEqual(['later']);
  expect(bed.text('later')).toBe('old');
});

it('does not overwrite a file that is excluded since, where it is no longer what was recorded', async () => {
  await bed.write('m1', 'later', 'old');
  await bed.write('m2', 'later', 'new');
  await bed.reopen({ exclude: ['later'] });
  bed.put('later', SECRET);
  const receipt = await bed.rewind('m2', { onConflict: 'restore' });
  expect(receipt.restoredFiles).toEqual([]);
  expect(bed.text('later')).toBe(SECRET);
  expect(isStored(SECRET)).toBe(false);
});
