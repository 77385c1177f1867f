import type { CaptureSite } from '../capture/capture.ts';
import { isThere, makeLink, removeIfThere } from '../fs/entries.ts';
import type { SyncTarget } from '../fs/sync-together.ts';
import { createFile, isTorn } from '../fs/write-file.ts';
import { SavepointError } from '../model/errors.ts';
import type { JournalStep } from '../model/journal.ts';
import { type Captured, type State, sameState } from '../model/state.ts';
import type { Fresh } from '../plan/make-plan.ts';
import { type StepPlace, withPlace, withStage } from './step-place.ts';
import { syncAll, tellProgress } from './steps.ts';

/** A step that brings a file or a link, which has to be made beforehand. */
export type StagedStep = JournalStep & { readonly to: Captured };

/** Contents that were read from the store already. */
type Contents = Fresh['contents'];

/** Writes every new file beside its place, synced. Nothing of the user's is touched. */
export function stageAll(
  site: CaptureSite,
  steps: readonly JournalStep[],
  read?: Contents,
): Promise<void> {
  return syncAll(site, stagings(site, steps, read));
}

async function* stagings(
  site: CaptureSite,
  steps: readonly JournalStep[],
  read?: Contents,
): AsyncGenerator<SyncTarget> {
  for (const [done, step] of steps.entries()) {
    await tellProgress(site, { step: 'stage', done, total: steps.length });
    if (needsStaging(step)) yield staging(site, step, await contentOf(site, step.to, read));
  }
}

/** After a failed sync, reading the file again does not show what is on the disk: so it is removed. */
function staging({ root }: CaptureSite, step: StagedStep, bytes: Uint8Array): SyncTarget {
  return {
    path: step.path,
    open: () => stageStep(root, step, bytes),
    remove: () => withStage(root, step, (stage) => removeIfThere(stage.entry(step.stagedName))),
  };
}

/**
 * For recovery: the staged name may not have reached the disk, and its bytes may be torn; they are in
 * the store. False when somebody wrote to it: it stays, and so does the path.
 */
export async function stageAgain(site: CaptureSite, step: JournalStep): Promise<boolean> {
  if (!needsStaging(step)) return true;
  const ready = withPlace(site.root, step, (place) => sameState(place.waiting(), step.to));
  if (ready) {
    await syncAll(site, [waiting(site, step)]);
    return true;
  }
  const bytes = await contentOf(site, step.to);
  if (!withPlace(site.root, step, (place) => isOurs(place, bytes))) return false;
  withPlace(site.root, step, (place) => removeIfThere(place.staged));
  await syncAll(site, [staging(site, step, bytes)]);
  return true;
}

/** The process that wrote the file was killed, perhaps before it synced it. */
function waiting({ root }: CaptureSite, step: StagedStep): SyncTarget {
  const open = (): number | null =>
    withStage(root, step, (stage) => stage.openToSync(step.stagedName));
  return { path: step.path, open };
}

export function needsStaging(step: JournalStep): step is StagedStep {
  return step.how === 'replace' && step.to.kind === 'captured' && step.to.type !== 'directory';
}

/** Returns the descriptor of a new file, to be synced and closed; a link is as durable as its name. */
export function stageStep(root: string, step: StagedStep, bytes: Uint8Array): number | null {
  return withStage(root, step, (stage) => {
    const at = stage.entry(step.stagedName);
    if (step.to.type !== 'symlink') return createFile(at, bytes, step.to.mode);
    makeLink(bytes, at);
    return null;
  });
}

/** Whether the staged file holds a part of our bytes and nothing else: a power cut leaves holes. */
function isOurs(place: StepPlace, bytes: Uint8Array): boolean {
  if (!isThere(place.staged) || isTorn(place.staged)) return true;
  const found = place.waitingBytes();
  if (found === null || found.length > bytes.length) return false;
  return found.every((byte, at) => byte === 0 || byte === bytes[at]);
}

/** Bytes of a state, verified by the store. */
async function contentOf(site: CaptureSite, state: State, read?: Contents): Promise<Uint8Array> {
  if (state.kind !== 'captured' || state.blob === null) {
    throw new SavepointError('restore-failed', 'a restore needs bytes that were never recorded');
  }
  return read?.get(state.blob) ?? site.store.blobs.read(state.blob);
}
