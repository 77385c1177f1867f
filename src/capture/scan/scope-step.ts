import { type GlobalRules, type IgnoreScope, rootScope } from '../ignore/index.ts';
import { type FolderRuleTexts, parseRules } from './folder-rules.ts';

/** A folder and those above it with their rules: all that another thread needs to know its scope. */
export interface ScopeStep {
  readonly above: ScopeStep | null;
  /** Empty for the root. */
  readonly name: string;
  /** The folder's path with "/" at the end; empty for the root. */
  readonly prefix: string;
  readonly rules: FolderRuleTexts;
}

/** Makes scopes of steps, each only once. */
export class StepScopes {
  readonly #global: GlobalRules;
  readonly #made = new Map<ScopeStep, IgnoreScope>();

  constructor(global: GlobalRules) {
    this.#global = global;
  }

  scopeOf(step: ScopeStep): IgnoreScope {
    const missing: ScopeStep[] = [];
    let scope: IgnoreScope | undefined;
    for (let at: ScopeStep | null = step; at !== null; at = at.above) {
      scope = this.#made.get(at);
      if (scope !== undefined) break;
      missing.push(at);
    }
    for (let next = missing.pop(); next !== undefined; next = missing.pop()) {
      const own = parseRules(next.rules);
      scope = scope === undefined ? rootScope(this.#global, own) : scope.enter(next.name, own);
      this.#made.set(next, scope);
    }
    return scope as IgnoreScope;
  }
}
