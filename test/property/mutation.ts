import type { Disk } from './disk.ts';
import type { Place } from './model/entry.ts';
import type { History } from './model/history.ts';

export type Step =
  | { readonly put: string; readonly place: Place }
  | { readonly move: string; readonly to: string };

/** What somebody does to files: the same steps on the disk and in the model. */
export interface Mutation {
  readonly says: string;
  /** The paths that a tool would name. */
  readonly names: readonly string[];
  readonly steps: readonly Step[];
}

export function performOnDisk(disk: Disk, { steps }: Mutation): void {
  for (const step of steps) {
    if ('put' in step) disk.put(step.put, step.place);
    else disk.move(step.move, step.to);
  }
}

export function performInModel(
  history: History,
  { steps }: Mutation,
  by: 'agent' | 'person',
): void {
  for (const step of steps) {
    if ('put' in step) history.write(step.put, step.place, by);
    else moveInModel(history, step.move, step.to, by);
  }
}

/** A rename is many paths going and as many coming. */
function moveInModel(history: History, from: string, to: string, by: 'agent' | 'person'): void {
  for (const path of [from, ...history.below(from)]) {
    const place = history.at(path);
    history.write(path, null, by);
    history.write(to + path.slice(from.length), place, by);
  }
}
