import { createHash } from 'node:crypto';
import {
  isSavepointError,
  type Part,
  type PartId,
  type State,
  type Store,
} from '../../src/index.ts';
import { Manifest } from '../../src/model/manifest.ts';
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
  const changes = await store.changes({});
  const heads = await store.heads();
  const baseline = await store.baseline();
  const contents: [string, string][] = [];
  for (const state of [
    ...heads.map(({ state: one }) => one),
    ...changes.flatMap(({ before, after }) => [before, after]),
  ]) {
    const id = blobOf(state);
    if (id !== null) contents.push([id, await hashOf(() => store.readBlob(id))]);
  }
  if (baseline !== null) contents.push(...(await manifestContents(store, baseline.manifest)));
  const rows = {
    project: await store.project(),
    seq: await store.seq(),
    sessions: await store.sessions(),
    checkpoints: await store.checkpoints({}),
    heads,
    changes,
    cancellations: await store.cancellationsOf(changes.map(({ seq }) => seq)),
    operations: await store.operations(),
    journal: await store.journal(),
    windows: await store.windows(),
    baseline,
    contents,
    ...(await executionsIn(store)),
  };
  return JSON.stringify(rows, null, 1);
}

async function executionsIn(store: Store) {
  const executions = await store.executions();
  const steps = (await Promise.all(executions.map(({ id }) => store.steps(id)))).flat();
  const documents = await store.documents('state');
  const states: [string, string][] = [];
  const add = async (root: PartId, read: () => Promise<readonly Part[]>) => {
    const text = async () => JSON.stringify(assemble(root, await read()));
    states.push([root, await hashOf(async () => Buffer.from(await text()))]);
  };
  for (const { root } of steps) if (root !== null) await add(root, () => store.readParts(root));
  for (const { category, key, root } of documents) {
    await add(root, async () => (await store.readDocument(category, key))?.parts ?? []);
  }
  return { executions, steps, documents, states };
}

function blobOf(state: State | null) {
  return state?.kind === 'captured' ? state.blob : null;
}

async function manifestContents(
  store: Store,
  id: Parameters<Store['readBlob']>[0],
): Promise<[string, string][]> {
  const contents: [string, string][] = [];
  for (const [path, state] of new Manifest(await store.readBlob(id))) {
    if (state.kind === 'git') {
      contents.push([path, await hashOf(() => store.readGitObject(state.key))]);
    } else if (state.kind === 'captured' && state.blob !== null) {
      const { blob } = state;
      contents.push([
        path,
        await hashOf(async () => (await store.readPacked(blob)) ?? new Uint8Array()),
      ]);
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
