import { isDeepStrictEqual } from 'node:util';
import { KnownStates } from '../capture/known-states.ts';
import { SavepointError } from '../model/errors.ts';
import type { BlobId, Seq } from '../model/ids.ts';
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
  await new Comparison(from, to, onProgress).run();
}

class Comparison {
  readonly #from: Store;
  readonly #to: Store;
  readonly #onProgress: OnProgress | undefined;
  readonly #read = new Set<BlobId>();

  constructor(from: Store, to: Store, onProgress: OnProgress | undefined) {
    this.#from = from;
    this.#to = to;
    this.#onProgress = onProgress;
  }

  async run(): Promise<void> {
    const [was, is] = [await this.#from.state(), await this.#to.state()];
    same('the newest number', was.seq, is.seq);
    await this.#both('sessions', ({ timeline }) => timeline.sessions());
    await this.#both('private paths', ({ timeline }) => timeline.privatePaths());
    await this.#both('operations', ({ timeline }) => timeline.operations());
    await this.#both('windows', ({ timeline }) => timeline.windows());
    await this.#both('the journal', ({ timeline }) => timeline.journal());
    await this.#checkpoints();
    await this.#changes(was.seq);
    const heads = await this.#both('heads', ({ timeline }) => timeline.heads());
    await this.#contents(heads.map(({ state }) => state));
    await this.#baseline();
    await this.#executions();
  }

  async #both<Rows>(what: string, list: (store: Store) => Promise<Rows>): Promise<Rows> {
    const [was, is] = await Promise.all([list(this.#from), list(this.#to)]);
    same(what, was, is);
    return was;
  }

  async #checkpoints(): Promise<void> {
    const copies = checkpointsOf(this.#to);
    for await (const group of checkpointsOf(this.#from)) {
      same('checkpoints', group, (await copies.next()).value);
    }
    same('checkpoints', true, (await copies.next()).done);
  }

  async #changes(seq: Seq): Promise<void> {
    for (const [query, done] of spansOf(seq)) {
      await this.#onProgress?.({ step: 'compare', done, total: seq });
      const changes = await this.#both('changes', ({ timeline }) => timeline.changes(query));
      const seqs = changes.map((change) => change.seq);
      await this.#both('cancellations', ({ timeline }) => timeline.cancellations(seqs));
      await this.#contents(changes.flatMap((change) => [change.before, change.after]));
    }
  }

  /** Reading compares them with their hashes. */
  async #contents(states: readonly (State | null)[]): Promise<void> {
    const fresh = new Set<BlobId>();
    for (const state of states) {
      if (state?.kind !== 'captured' || state.blob === null || this.#read.has(state.blob)) continue;
      fresh.add(state.blob);
      this.#read.add(state.blob);
    }
    const left = [...fresh];
    while (left.length > 0) {
      await Promise.all(left.splice(0, AT_ONCE).map((id) => this.#to.blobs.read(id)));
    }
  }

  /** Objects of git have become contents of the store, so what they stand for is compared. */
  async #baseline(): Promise<void> {
    const { baseline } = await this.#from.state();
    const copy = (await this.#to.state()).baseline;
    same('the baseline', baseline?.seq, copy?.seq);
    const [known, knownCopy] = [new KnownStates(this.#from), new KnownStates(this.#to)];
    const [manifest, manifestCopy] = [await known.manifest(), await knownCopy.manifest()];
    same('the baseline', manifest?.count, manifestCopy?.count);
    for (let at = 0; at < (manifest?.count ?? 0); at += 1) {
      if (manifest === null || manifestCopy === null) return;
      same('the baseline', manifest.path(at), manifestCopy.path(at));
      const { state } = await known.resolve(manifest.state(at));
      same('the baseline', state, (await knownCopy.resolve(manifestCopy.state(at))).state);
      await this.#contents([state]);
    }
  }

  async #executions(): Promise<void> {
    const executions = await this.#both('executions', ({ timeline }) => timeline.executions());
    const roots = new Set(executions.flatMap(({ root }) => root ?? []));
    for (const { id } of executions) {
      const steps = await this.#both('steps', ({ timeline }) => timeline.steps(id));
      for (const { root, result } of steps) {
        for (const part of [root, result]) if (part !== null) roots.add(part);
      }
    }
    // The name of a part vouches for all that it holds.
    for (const root of roots) await this.#to.documents.readParts(root);
  }
}

function same(what: string, was: unknown, is: unknown): void {
  if (isDeepStrictEqual(was, is)) return;
  throw new SavepointError('store-failed', `the copy is not the same: ${what} differ`, {
    hint: 'nothing was moved, and the store is as it was; try again',
  });
}
