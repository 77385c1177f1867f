import { isSavepointError } from '../model/errors.ts';
import type { StepAttempt } from '../model/execution.ts';
import type { Draft } from '../store/draft.ts';
import { DocumentPacker, type PackedDocument } from '../store/parts/document-packer.ts';
import type { ExecutionState } from './step-log.ts';

/** Packs what one step after the other leaves and returns: what did not change is not packed again. */
export class StepPacker {
  readonly #states = new DocumentPacker();
  readonly #results = new DocumentPacker();

  /** Into the draft; answers what names it. Within `storing`. */
  pack(draft: Draft, after: ExecutionState, result: unknown): Pick<StepAttempt, 'root' | 'result'> {
    const state = this.#states.pack(after, 'step');
    const returned = result === undefined ? null : this.#results.pack(result, 'result');
    addParts(draft, state);
    if (returned !== null) addParts(draft, returned);
    return { root: state.root.id, result: returned?.root.id ?? null };
  }

  /** What was taken to be stored may have been removed since: then everything is packed once more. */
  async storing(write: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await write();
      } catch (error) {
        this.#states.forget();
        this.#results.forget();
        if (!isSavepointError(error, 'part-missing') || tries > 1) throw error;
      }
    }
  }
}

function addParts(draft: Draft, { parts, root }: PackedDocument): void {
  draft.parts.push(...parts, root);
}
