import type { ReplicaConfig } from '../config/replica-settings.ts';

export type PermissionMode = ReplicaConfig['permissionMode'];

/** In the order in which Shift-Tab goes through them. */
const ROUND: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];

/** The permission mode of a conversation, which a person may change at any time. */
export class PermissionModes {
  /** Nobody gets into that mode by a key who has not asked for it at the start. */
  readonly mayBypass: boolean;
  #current: PermissionMode;

  constructor(first: PermissionMode) {
    this.#current = first;
    this.mayBypass = first === 'bypassPermissions';
  }

  get current(): PermissionMode {
    return this.#current;
  }

  next(): PermissionMode {
    const round = ROUND.filter((mode) => this.mayBypass || mode !== 'bypassPermissions');
    return round[(round.indexOf(this.#current) + 1) % round.length] ?? 'default';
  }

  /** False for a mode that is not one of ours, or is the current one. */
  set(mode: string): boolean {
    const known = ROUND.find((one) => one === mode);
    if (known === undefined || known === this.#current) return false;
    this.#current = known;
    return true;
  }
}
