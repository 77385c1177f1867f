import type { TrackedPath } from '../../model/path.ts';
import type { GlobalRules } from '../ignore/index.ts';
import type { RawStat } from './entry-stat.ts';
import { addFresh } from './fresh-walk.ts';
import { type CopySource, IndexBuilder } from './index-builder.ts';
import type { WalkContext } from './list-folder.ts';
import { type ScopeStep, StepScopes } from './scope-step.ts';

/** A folder that somebody else has found, to be walked with everything below it. */
export interface PartFolder {
  readonly above: ScopeStep;
  readonly name: string;
  readonly stat: RawStat;
}

/** What was found for several folders, one after the other. */
export interface WalkedPart {
  readonly source: CopySource;
  /** Where the entries of each folder (its own first) end; none for one that vanished. */
  readonly ends: readonly number[];
  readonly unreadable: readonly TrackedPath[];
}

/** Walks a part of a tree, in whatever thread. */
export function walkPart(
  context: WalkContext,
  global: GlobalRules,
  folders: readonly PartFolder[],
): WalkedPart {
  const builder = new IndexBuilder();
  const scopes = new StepScopes(global);
  const unreadable: TrackedPath[] = [];
  const onUnreadable = (path: TrackedPath) => unreadable.push(path);
  const walk = { context, builder, onEntry: null, onUnreadable };
  const ends = folders.map(({ above, name, stat }) => {
    const place = { folder: 0, prefix: above.prefix, scope: scopes.scopeOf(above) };
    addFresh(walk, place, { name, key: `${name}/`, stat, isDirectory: true });
    return builder.count;
  });
  const { columns, rules } = builder.finish();
  return { source: { columns, rules }, ends, unreadable };
}
