import type { Store } from '../../store/store.ts';
import { type Rules, runSuite, type Suite } from '../suite.ts';
import { baselineRules, blobRules, packRules } from './blob-rules.ts';
import { changeRules, headRules } from './change-rules.ts';
import { commitRules } from './commit-rules.ts';
import { documentRules, executionRules } from './document-rules.ts';
import { closeRules, lockRules } from './lock-rules.ts';
import { compactRules, pruneRules, purgeRules } from './maintenance-rules.ts';
import { namesRules } from './names-rules.ts';
import { recordRules } from './record-rules.ts';
import { checkpointRules, operationRules, sessionRules, windowRules } from './timeline-rules.ts';

export type StoreSuite = Suite<Store>;

const RULES: Readonly<Record<string, Rules<Store>>> = {
  commit: commitRules,
  records: recordRules,
  blobs: blobRules,
  sessions: sessionRules,
  checkpoints: checkpointRules,
  changes: changeRules,
  heads: headRules,
  'operations and journal': operationRules,
  windows: windowRules,
  'packs and references': packRules,
  baseline: baselineRules,
  documents: documentRules,
  executions: executionRules,
  prune: pruneRules,
  purge: purgeRules,
  compact: compactRules,
  lock: lockRules,
  close: closeRules,
  'odd names and long lists': namesRules,
};

/** States the contract of `Store` as tests of one implementation. */
export function testStore(suite: StoreSuite): void {
  runSuite(suite, RULES, (store) => store.close());
}
