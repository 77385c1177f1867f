import type { BaseStorage } from '../store/documents/base-storage.ts';
import {
  concurrencyRules,
  type Damage,
  damageRules,
  keepingRules,
} from './storage/keeping-rules.ts';
import { nameRules, valueRules } from './storage/value-rules.ts';
import { runSuite, type Suite } from './suite.ts';

export interface StorageSuite extends Suite<BaseStorage> {
  /** Makes what is stored under a key unreadable, as a failing disk would. */
  damage?: Damage;
}

/** States the contract of `BaseStorage` as tests of one implementation. */
export function testStorage(suite: StorageSuite): void {
  const parts = {
    keeping: keepingRules,
    names: nameRules,
    values: valueRules,
    'several at once': concurrencyRules,
    // Some runners take a part without a test for a mistake.
    ...(suite.damage && { damage: damageRules(suite.damage) }),
  };
  runSuite(suite, parts, async () => {});
}
