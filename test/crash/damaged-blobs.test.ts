import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  hashBytes,
  isSavepointError,
  openSavepoint,
  type Savepoint,
  sqliteStore,
} from '../../src/index.ts';
import { makeScratch } from './scenario/place.ts';
import { type Damage, type Form, spoil, storedBlobs } from './scenario/stored-blobs.ts';
import { removeTree, treeOf } from './scenario/tree.ts';

const FORMS: readonly Form[] = [
  'raw row',
  'compressed row',
  'delta row',
  'raw file',
  'compressed file',
];
const DAMAGES: readonly Damage[] = ['flipped', 'truncated', 'emptied', 'removed'];
const CASES = FORMS.flatMap((form) => DAMAGES.map((damage) => ({ form, damage })));

// So small that few bytes make a blob with a file of its own.
const LARGE_BLOB_BYTES = 4096;

type Files = Readonly<Record<string, Buffer>>;

const LATER = randomBytes(3000);
const EARLIER = Buffer.concat([LATER, Buffer.from('one more line\n')]);

/** What the person had, one file for each way in which the store can hold it. */
const CONTENTS: Files = {
  'raw-row.bin': randomBytes(500),
  'compressed-row.txt': Buffer.from('a line that comes again and again\n'.repeat(50)),
  'delta-row.txt': LATER,
  'raw-file.bin': randomBytes(9000),
  'compressed-file.txt': Buffer.from(randomBytes(5000).toString('hex')),
};

describe('a stored blob that is damaged', () => {
  let scratch: string;
  let project: string;
  let target: string;

  beforeEach(async () => {
    scratch = makeScratch();
    project = join(scratch, 'project');
    mkdirSync(project);
    target = await agentWrecksAll();
  });

  afterEach(() => removeTree(scratch));

  test.each(CASES)('is named and never written to a file: a $form, $damage', async (each) => {
    const path = spoilOne(each.form, each.damage);
    const wrecked = treeOf(project)[path];
    const savepoint = await open();
    const receipt = await savepoint.rewind({ to: target });
    await savepoint.close();
    const reason = each.damage === 'removed' ? 'blob-missing' : 'blob-corrupt';
    expect(receipt.errors).toEqual([{ path, reason }]);
    expect(receipt.success).toBe(false);
    expect(treeOf(project)[path]).toBe(wrecked);
    // All the others are as the person had them.
    for (const [other, bytes] of Object.entries(CONTENTS)) {
      if (other !== path) expect(readFileSync(join(project, other)).equals(bytes)).toBe(true);
    }
  });

  test.each(CASES)('stops a rewind that was planned before: a $form, $damage', async (each) => {
    const savepoint = await open();
    const plan = await savepoint.planRewind({ to: target });
    const before = treeOf(project);
    spoilOne(each.form, each.damage);
    const failure = await savepoint.apply(plan).catch((error: unknown) => error);
    expect(isSavepointError(failure)).toBe(true);
    expect(failure).toMatchObject({ code: expect.stringMatching(/^blob-(corrupt|missing)$/) });
    expect(treeOf(project)).toEqual(before);
    expect(await savepoint.operations()).toEqual([]);
    await savepoint.close();
  });

  test('takes everything that was compressed against it along', async () => {
    const base = hashBytes(EARLIER);
    spoil(store(), { id: base, form: formOf(base) }, 'flipped');
    const savepoint = await open();
    const receipt = await savepoint.rewind({ to: target });
    await savepoint.close();
    expect(receipt.errors).toEqual([{ path: 'delta-row.txt', reason: 'blob-corrupt' }]);
  });

  /** The person's files come about, one of them in two versions; the agent wrecks them all. */
  async function agentWrecksAll(): Promise<string> {
    const savepoint = await open();
    await tool(savepoint, 'first', { 'delta-row.txt': EARLIER });
    await tool(savepoint, 'second', CONTENTS);
    const wrecks = Object.keys(CONTENTS).map((path) => [path, Buffer.from(`wrecked ${path}\n`)]);
    const checkpoint = await tool(savepoint, 'third', Object.fromEntries(wrecks));
    await savepoint.cleanup({}, 60_000);
    await savepoint.close();
    return checkpoint;
  }

  async function tool(savepoint: Savepoint, messageId: string, files: Files): Promise<string> {
    const paths = Object.keys(files);
    const capture = await savepoint.captureBefore({ sessionId: 'agent', messageId, paths });
    for (const [path, bytes] of Object.entries(files)) writeFileSync(join(project, path), bytes);
    await savepoint.captureAfter(capture);
    return capture.checkpointId;
  }

  function spoilOne(form: Form, damage: Damage): string {
    const path =
      Object.keys(CONTENTS).find((name) => name.startsWith(form.replace(' ', '-'))) ?? '';
    const id = hashBytes(CONTENTS[path] ?? Buffer.alloc(0));
    // Whether compaction really chose this form: otherwise another one would be tested twice.
    expect(formOf(id)).toBe(form);
    spoil(store(), { id, form }, damage);
    return path;
  }

  function formOf(id: string): Form {
    const found = storedBlobs(store()).find((blob) => blob.id === id);
    if (found === undefined) throw new Error(`blob ${id} is not in the store`);
    return found.form;
  }

  async function open(): Promise<Savepoint> {
    const opened = await sqliteStore({ directory: store(), largeBlobBytes: LARGE_BLOB_BYTES });
    return openSavepoint({ project, store: opened });
  }

  function store(): string {
    return join(scratch, 'store');
  }
});
