import { outsider } from '../capture/chain.ts';
import type { Finds, Sight } from '../capture/finds.ts';
import type { ScanIndex } from '../capture/scan/scan-index.ts';
import type { Seq } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { commandsIn, type Window } from '../model/window.ts';
import type { Head, Store } from '../store/store.ts';
import { authorOfFinds, lostWindows } from '../timeline/windows.ts';
import type { Workbench } from './workbench.ts';

/** For a capture, under the project lock. Asks only when there is something to be said: most find nothing. */
export function findsOf(bench: Workbench, now: number): Finds {
  const { store } = bench;
  let index: Promise<ScanIndex | null> | null = null;
  let windows: Promise<readonly Window[]> | null = null;
  const lastIndex = () => {
    index ??= bench.worktree.lastIndex();
    return index;
  };
  return {
    now,
    sightOf: async (path, head) => sightIn(await lastIndex(), path, head),
    authorOf: async (until, since) => {
      windows ??= store.windows();
      const open = commandsIn(await windows).filter(({ opened }) => opened <= until);
      const inTime = open.filter(({ opened }) => since === null || opened <= since);
      if (inTime.length < open.length || open.length === 0) return outsider(now);
      const scanned = (await lastIndex())?.stamp.seq ?? (await store.baseline())?.seq ?? 0;
      const late = await hasGapSince(store, scanned);
      return authorOfFinds({ windows: open, lost: lostWindows(open, null), late, now });
    },
  };
}

/** Whether a checkpoint was passed after `seq` at which the worktree could not be scanned. */
export async function hasGapSince(store: Store, seq: Seq): Promise<boolean> {
  const recent = await store.checkpoints({ limit: 20 });
  return recent.some(
    (one) => one.seq > seq && one.coverage !== 'scanned' && one.coverage !== 'named',
  );
}

function sightIn(index: ScanIndex | null, path: TrackedPath, head: Head | null): Sight | null {
  if (index === null) return null;
  if (!index.covers(path)) return 'not-covered';
  const { seq, open } = index.stamp;
  if (head !== null && (head.seq > seq || open.includes(path))) return null;
  return index.find(path) === -1 ? 'nothing' : 'there';
}
