import { createHash } from 'node:crypto';
import {
  type BlobId,
  isSavepointError,
  type Part,
  type PartId,
  type State,
  type Store,
} from '../../src/index.ts';
import { Manifest } from '../../src/model/manifest.ts';
import { readGitObject } from '../../src/store/find.ts';
import { assemble } from '../../src/store/parts/assemble.ts';
import type { SampleStore } from './sample-store.ts';

export async function dumpOf(sample: SampleStore): Promise<string> {
  const store = await sample.openStore();
  try {
    return await dump(store);
  } finally {
    await store.close();
  }
}

/** The code of the error where the store refuses to say anything. */
export async function saidBy(sample: SampleStore): Promise<string> {
  try {
    return await dumpOf(sample);
  } catch (error) {
    return isSavepointError(error) ? error.code : String(error);
  }
}

/** All that a store says when it is asked through its port: every row, and every content. */
export async function dump(store: Store): Promise<string> {
  const changes = await store.timeline.changes({});
  const heads = await store.timeline.heads();
  const { baseline } = await store.state();
  const contents: [string, string][] = [];
  for (const state of [
    ...heads.map(({ state: one }) => one),
    ...changes.flatMap(({ before, after }) => [before, after]),
  ]) {
    const id = blobOf(state);
    if (id !== null) contents.push([id, await hashOf(() => store.blobs.read(id))]);
  }
  if (baseline !== null) contents.push(...(await manifestContents(store, baseline.manifest)));
  const rows = {
    ...(await store.state()),
    sessions: await store.timeline.sessions(),
    checkpoints: await store.timeline.checkpoints({}),
    heads,
    changes,
    cancellations: await store.timeline.cancellations(changes.map(({ seq }) => seq)),
    operations: await store.timeline.operations(),
    journal: await store.timeline.journal(),
    windows: await store.timeline.windows(),
    contents,
    ...(await executionsIn(store)),
  };
  return JSON.stringify(rows, null, 1);
}

async function executionsIn(store: Store) {
  const executions = await store.timeline.executions();
  const steps = (await Promise.all(executions.map(({ id }) => store.timeline.steps(id)))).flat();
  const documents = await store.documents.list('state');
  const states: [string, string][] = [];
  const add = async (root: PartId, read: () => Promise<readonly Part[]>) => {
    const text = async () => JSON.stringify(assemble(root, await read()));
    states.push([root, await hashOf(async () => Buffer.from(await text()))]);
  };
  for (const { root } of steps)
    if (root !== null) await add(root, () => store.documents.readParts(root));
  for (const { category, key, root } of documents) {
    await add(root, async () => (await store.documents.read(category, key))?.parts ?? []);
  }
  return { executions, steps, documents, states };
}

function blobOf(state: State | null) {
  return state?.kind === 'captured' ? state.blob : null;
}

async function manifestContents(store: Store, id: BlobId): Promise<[string, string][]> {
  const contents: [string, string][] = [];
  for (const [path, state] of new Manifest(await store.blobs.read(id))) {
    if (state.kind === 'git') {
      contents.push([path, await hashOf(() => readGitObject(store, state.key))]);
    } else if (state.kind === 'captured' && state.blob !== null) {
      const { blob } = state;
      contents.push([path, await hashOf(() => store.blobs.read(blob))]);
    } else contents.push([path, JSON.stringify(state)]);
  }
  return contents;
}

async function hashOf(read: () => Promise<Uint8Array>): Promise<string> {
  try {
    return createHash('sha256')
      .update(await read())
      .digest('hex');
  } catch (error) {
    return isSavepointError(error) ? error.code : String(error);
  }
}
