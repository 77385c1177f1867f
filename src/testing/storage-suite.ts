import { describe, it } from 'node:test';
import type { BaseStorage } from '../store/documents/base-storage.ts';
import { concurrencyRules, damageRules, keepingRules } from './storage/keeping-rules.ts';
import { nameRules, valueRules } from './storage/value-rules.ts';
import type { TestRunner } from './store/test-store.ts';

export interface StorageSuite {
  readonly name: string;
  /** A new storage with nothing in it, made for one test. */
  create(): Promise<BaseStorage>;
  /** Closes the storage, if it can be closed, and removes its place. */
  destroy(storage: BaseStorage): Promise<void>;
  /** Another storage on the place of this one, as another process would have it. */
  reopen?(storage: BaseStorage): Promise<BaseStorage>;
  /** Makes what is stored under a key unreadable, as a failing disk would. */
  damage?(storage: BaseStorage, category: string, key: string): Promise<void>;
  /** Those of node:test when left out. */
  readonly runner?: TestRunner;
}

/** What a rule gets to state one behaviour of a storage. */
export interface StorageTests {
  test(behaviour: string, body: (storage: BaseStorage) => Promise<void>): void;
  /** The same with a second storage on the same place; left out where there is no `reopen`. */
  testTwo(
    behaviour: string,
    body: (storage: BaseStorage, other: BaseStorage) => Promise<void>,
  ): void;
  /** The same with a way to damage what is stored; left out where there is no `damage`. */
  testDamage(
    behaviour: string,
    body: (
      storage: BaseStorage,
      damage: (category: string, key: string) => Promise<void>,
    ) => Promise<void>,
  ): void;
}

const RULES: readonly (readonly [string, (tests: StorageTests) => void])[] = [
  ['keeping', keepingRules],
  ['names', nameRules],
  ['values', valueRules],
  ['several at once', concurrencyRules],
];

/** States the contract of `BaseStorage` as tests of one implementation. */
export function testStorage(suite: StorageSuite): void {
  const runner = suite.runner ?? { describe, it };
  runner.describe(suite.name, () => {
    for (const [part, rules] of RULES) runner.describe(part, () => rules(testsOf(suite, runner)));
    // Some runners take a part without a test for a mistake.
    if (suite.damage === undefined) return;
    runner.describe('damage', () => damageRules(testsOf(suite, runner)));
  });
}

function testsOf(suite: StorageSuite, runner: TestRunner): StorageTests {
  const test: StorageTests['test'] = (behaviour, body) => {
    runner.it(behaviour, async () => {
      const storage = await suite.create();
      try {
        await body(storage);
      } finally {
        await suite.destroy(storage);
      }
    });
  };
  const testTwo: StorageTests['testTwo'] = (behaviour, body) => {
    const { reopen } = suite;
    if (reopen === undefined) return;
    test(behaviour, async (storage) => body(storage, await reopen(storage)));
  };
  const testDamage: StorageTests['testDamage'] = (behaviour, body) => {
    const { damage } = suite;
    if (damage === undefined) return;
    test(behaviour, (storage) => body(storage, (category, key) => damage(storage, category, key)));
  };
  return { test, testTwo, testDamage };
}
