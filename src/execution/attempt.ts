import { SavepointError } from '../model/errors.ts';
import type { StepAttempt } from '../model/execution.ts';

/** One attempt as it is on record. */
export class Attempt {
  step: StepAttempt;
  /** Set under the project lock: what was asked for before that still belongs to it. */
  isOver = false;

  constructor(step: StepAttempt) {
    this.step = step;
  }

  /** For what a step forgot to wait for: its record is closed, and would be opened again. */
  refuseOver(): void {
    if (!this.isOver) return;
    const { index, name } = this.step;
    throw new SavepointError('step-over', `step ${index} (${name}) is over`, {
      hint: 'wait, within a step, for all that it does',
    });
  }
}
