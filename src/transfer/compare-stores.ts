import { isDeepStrictEqual } from 'node:util';
import { KnownStates } from '../capture/known-states.ts';
import { SavepointError } from '../model/errors.ts';
import type { BlobId } from '../model/ids.ts';
import type { OnProgress } from '../model/progress.ts';
import type { State } from '../model/state.ts';
import type { Store } from '../store/store.ts';
import { checkpointsOf, spansOf } from './carry-store.ts';

/** Contents that are read at the same time. */
const AT_ONCE = 4;

/**
 * Compares every row of a timeline with that of its copy, and reads every content that the rows name from the copy, which
 * compares it with its hash. Throws `store-failed` where something is not the same.
 */
export async function compareTimelines(
  from: Store,
  to: Store,
  onProgress?: OnProgress | undefined,
): Promise<void> {
  const both = async <Rows>(
    what: string,
    list: (timeline: Store['timeline']) => Promise<Rows>,
  ): Promise<Rows> => {
    const [was, is] = await Promise.all([list(from.timeline), list(to.timeline)]);
    same(what, was, is);
    return was;
  };
  const compare = contentsOf(to);
  const { seq } = await from.state();
  same('the newest number', seq, (await to.state()).seq);
  await both('sessions', (timeline) => timeline.sessions());
  await both('private paths', (timeline) => timeline.privatePaths());
  await both('operations', (timeline) => timeline.operations());
  await both('windows', (timeline) => timeline.windows());
  await both('the journal', (timeline) => timeline.journal());
  await compareCheckpoints(from, to);
  for (const [query, done] of spansOf(seq)) {
    await onProgress?.({ step: 'compare', done, total: seq });
    const changes = await both('changes', (timeline) => timeline.changes(query));
    const seqs = changes.map((change) => change.seq);
    await both('cancellations', (timeline) => timeline.cancellations(seqs));
    await compare(changes.flatMap(({ before, after }) => [before, after]));
  }
  const heads = await both('heads', (timeline) => timeline.heads());
  await compare(heads.map(({ state }) => state));
  await compareBaselines(from, to, compare);
  const executions = await both('executions', (timeline) => timeline.executions());
  const roots = new Set(executions.map(({ root }) => root));
  for (const { id } of executions) {
    const steps = await both('steps', (timeline) => timeline.steps(id));
    for (const { root, result } of steps) roots.add(root).add(result);
  }
  // The name of a part vouches for all that it holds.
  for (const root of roots) if (root !== null) await to.documents.readParts(root);
}

async function compareCheckpoints(from: Store, to: Store): Promise<void> {
  const copies = checkpointsOf(to);
  for await (const group of checkpointsOf(from)) {
    same('checkpoints', group, (await copies.next()).value);
  }
  same('checkpoints', true, (await copies.next()).done);
}

type Compare = (states: readonly (State | null)[]) => Promise<void>;

/** Reads contents from the copy, each once, which compares them with their hashes. */
function contentsOf(to: Store): Compare {
  const read = new Set<BlobId>();
  return async (states) => {
    const named = new Set(states.map((state) => (state?.kind === 'captured' ? state.blob : null)));
    const left = [...named].filter((id) => id !== null && !read.has(id)) as BlobId[];
    for (const id of left) read.add(id);
    while (left.length > 0) {
      await Promise.all(left.splice(0, AT_ONCE).map((id) => to.blobs.read(id)));
    }
  };
}

/** Objects of git have become contents of the store, so what they stand for is compared. */
async function compareBaselines(from: Store, to: Store, compare: Compare): Promise<void> {
  same('the baseline', (await from.state()).baseline?.seq, (await to.state()).baseline?.seq);
  const [known, knownCopy] = [new KnownStates(from), new KnownStates(to)];
  const [manifest, copy] = [await known.manifest(), await knownCopy.manifest()];
  same('the baseline', manifest?.count, copy?.count);
  if (manifest === null || copy === null) return;
  for (let at = 0; at < manifest.count; at += 1) {
    same('the baseline', manifest.path(at), copy.path(at));
    const { state } = await known.resolve(manifest.state(at));
    same('the baseline', state, (await knownCopy.resolve(copy.state(at))).state);
    await compare([state]);
  }
}

function same(what: string, was: unknown, is: unknown): void {
  if (isDeepStrictEqual(was, is)) return;
  throw new SavepointError('store-failed', `the copy is not the same: ${what} differ`, {
    hint: 'nothing was moved, and the store is as it was; try again',
  });
}
