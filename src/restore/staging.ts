import { symlinkSync } from 'node:fs';
import type { CaptureSite } from '../capture/capture.ts';
import { SavepointError } from '../model/errors.ts';
import type { JournalStep } from '../model/journal.ts';
import { type Captured, type State, sameState } from '../model/state.ts';
import { type StepPlace, withPlace, withStage } from './step-place.ts';
import { isThere, isUnfinished, removeIfThere, writeNewFile } from './write-file.ts';

/** A step that brings a file or a link, which has to be made beforehand. */
export type StagedStep = JournalStep & { readonly to: Captured };

/** Writes every new file beside its place, synced. Nothing of the user's is touched. */
export async function stageAll(site: CaptureSite, steps: readonly JournalStep[]): Promise<void> {
  for (const step of steps) {
    if (needsStaging(step)) stageStep(site.root, step, await contentOf(site, step.to));
  }
}

/**
 * For recovery: the staged name may not have reached the disk, and its bytes may be torn; they are in
 * the store. False when somebody wrote to it: it stays, and so does the path.
 */
export async function stageAgain(site: CaptureSite, step: JournalStep): Promise<boolean> {
  if (!needsStaging(step)) return true;
  const ready = withPlace(site.root, step, (place) => sameState(place.waiting(), step.to));
  if (ready) return true;
  const bytes = await contentOf(site, step.to);
  if (!withPlace(site.root, step, (place) => isOurs(place, bytes))) return false;
  withPlace(site.root, step, (place) => removeIfThere(place.staged));
  stageStep(site.root, step, bytes);
  return true;
}

export function needsStaging(step: JournalStep): step is StagedStep {
  return step.how === 'replace' && step.to.kind === 'captured' && step.to.type !== 'directory';
}

export function stageStep(root: string, step: StagedStep, bytes: Uint8Array): void {
  withStage(root, step, (stage) => {
    const at = stage.entry(step.stagedName);
    if (step.to.type === 'symlink') symlinkSync(Buffer.from(bytes), at);
    else writeNewFile(at, bytes, step.to.mode);
  });
}

/** Whether what waits is what we wrote, as far as it came: a power cut leaves holes. */
function isOurs(place: StepPlace, bytes: Uint8Array): boolean {
  if (!isThere(place.staged) || isUnfinished(place.staged)) return true;
  const found = place.waitingBytes();
  if (found === null || found.length > bytes.length) return false;
  return found.every((byte, at) => byte === 0 || byte === bytes[at]);
}

/** Bytes of a state, verified by the store. */
function contentOf(site: CaptureSite, state: State): Promise<Uint8Array> {
  if (state.kind !== 'captured' || state.blob === null) {
    throw new SavepointError('restore-failed', 'a restore needs bytes that were never recorded');
  }
  return site.store.readBlob(state.blob);
}
