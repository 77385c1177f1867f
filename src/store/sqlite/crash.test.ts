import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { numberFrom } from '../../../test/crash/campaign.ts';
import { ChildScript } from '../../../test/setup/child-script.ts';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import type { State } from '../../model/state.ts';
import { currentSeq, findHead } from '../find.ts';
import type { Store } from '../store.ts';
import { sqliteStore } from './sqlite-store.ts';

const ROUNDS = numberFrom('SAVEPOINT_STORE_KILLS', 12);

// Edits small and large files, compresses and prunes without a pause, until it is killed.
const WRITER = `
  const { sqliteStore } = await import(process.argv[1]);
  const samples = await import(process.argv[2]);
  const store = await sqliteStore({ directory: process.argv[3], largeBlobBytes: 3000 });
  let base = (await store.state()).seq;
  const states = new Map();
  for (let round = 0; ; round += 1) {
    const seq = base + 1;
    const path = 'file' + (seq % 5);
    const noise = samples.noiseBlob(500 + (seq % 7) * 1000, seq % 5 + 1).bytes;
    const blob = samples.textBlob(Buffer.from(noise).toString('hex') + seq);
    const before = (await store.timeline.heads([samples.pathOf(path)]))[0]?.state ?? { kind: 'absent' };
    const change = samples.changeOf(seq, path, { before, after: samples.fileOf(blob) });
    await store.timeline.commit({ base, blobs: [blob], changes: [change] });
    base = seq;
    if (round % 4 === 1) await store.maintain('compact', 20);
    if (round % 9 === 1) await store.maintain('prune', seq - 10);
    if (round === 9) console.log('at work');
  }
`;

describe('a store whose process is killed', () => {
  it('has every blob of every change, whatever it was doing', () =>
    withTemporaryFolder(async (folder) => {
      const modules = ['./sqlite-store.ts', '../../testing/store/samples.ts'].map(
        (module) => new URL(module, import.meta.url).href,
      );
      for (let round = 0; round < ROUNDS; round += 1) {
        const writer = new ChildScript(WRITER, ...modules, folder);
        await writer.says('at work');
        await setTimeout(Math.random() * 60);
        await writer.kill();
        await assertWhole(folder);
      }
    }));
});

async function assertWhole(folder: string): Promise<void> {
  const store = await sqliteStore({ directory: folder });
  try {
    const changes = await store.timeline.changes({});
    assert.ok(changes.length > 5);
    assert.equal(changes.at(-1)?.seq, await currentSeq(store));
    for (const { path, before, after } of changes) {
      const head = await findHead(store, path);
      for (const state of [before, after, head?.state ?? null]) await assertKept(store, state);
    }
  } finally {
    await store.close();
  }
}

async function assertKept(store: Store, state: State | null): Promise<void> {
  if (state?.kind !== 'captured' || state.blob === null) return;
  assert.equal((await store.blobs.read(state.blob)).length, state.size);
}
