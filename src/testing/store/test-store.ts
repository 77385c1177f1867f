import { describe, it } from 'node:test';
import type { Store } from '../../store/store.ts';
import { baselineRules, blobRules, packRules } from './blob-rules.ts';
import { changeRules, headRules } from './change-rules.ts';
import { commitRules } from './commit-rules.ts';
import { documentRules, executionRules } from './document-rules.ts';
import { closeRules, lockRules } from './lock-rules.ts';
import { compactRules, pruneRules, purgeRules } from './maintenance-rules.ts';
import { namesRules } from './names-rules.ts';
import { recordRules } from './record-rules.ts';
import { checkpointRules, operationRules, sessionRules, windowRules } from './timeline-rules.ts';

/** The two functions of a test runner that the suite needs; those of node:test and vitest fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

export interface StoreSuite {
  readonly name: string;
  /** A new store with nothing in it, made for one test. */
  create(): Promise<Store>;
  /** Closes the store, if the test has not, and removes its place. */
  destroy(store: Store): Promise<void>;
  /** Another store on the place of this one, for what several processes may do. Closed by the test. */
  reopen?(store: Store): Promise<Store>;
  /** Those of node:test when left out. */
  readonly runner?: TestRunner;
}

/** What a rule gets to state one behaviour of a store. */
export interface StoreTests {
  test(behaviour: string, body: (store: Store) => Promise<void>): void;
  /** The same with a second store on the same place; left out where there is no `reopen`. */
  testTwo(behaviour: string, body: (store: Store, other: Store) => Promise<void>): void;
}

const RULES: readonly (readonly [string, (tests: StoreTests) => void])[] = [
  ['commit', commitRules],
  ['records', recordRules],
  ['blobs', blobRules],
  ['sessions', sessionRules],
  ['checkpoints', checkpointRules],
  ['changes', changeRules],
  ['heads', headRules],
  ['operations and journal', operationRules],
  ['windows', windowRules],
  ['packs and references', packRules],
  ['baseline', baselineRules],
  ['documents', documentRules],
  ['executions', executionRules],
  ['prune', pruneRules],
  ['purge', purgeRules],
  ['compact', compactRules],
  ['lock', lockRules],
  ['close', closeRules],
  ['odd names and long lists', namesRules],
];

/** States the contract of `Store` as tests of one implementation. */
export function testStore(suite: StoreSuite): void {
  const runner = suite.runner ?? { describe, it };
  runner.describe(suite.name, () => {
    for (const [part, rules] of RULES) runner.describe(part, () => rules(testsOf(suite, runner)));
  });
}

function testsOf(suite: StoreSuite, runner: TestRunner): StoreTests {
  const test: StoreTests['test'] = (behaviour, body) => {
    runner.it(behaviour, async () => {
      const store = await suite.create();
      try {
        await body(store);
      } finally {
        await suite.destroy(store);
      }
    });
  };
  const testTwo: StoreTests['testTwo'] = (behaviour, body) => {
    const { reopen } = suite;
    if (reopen === undefined) return;
    test(behaviour, async (store) => {
      const other = await reopen(store);
      try {
        await body(store, other);
      } finally {
        await other.close();
      }
    });
  };
  return { test, testTwo };
}
