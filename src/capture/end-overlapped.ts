import type { Change } from '../model/change.ts';
import { joins } from '../model/state.ts';
import { idOfCall } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import { type CaptureSite, look } from './capture.ts';
import { appendChange, authorOf } from './chain.ts';
import { headOf } from './known-states.ts';

/**
 * After a tool call whose changes another session's calls have ended: what it wrote since is on record as
 * shared, unless a call is at work there that will say what is there in the end.
 */
export async function endOverlapped(
  draft: Draft,
  site: CaptureSite,
  ended: readonly Change[],
  now: number,
): Promise<void> {
  for (const change of ended) {
    draft.removedWindows.push(idOfCall(change.seq));
    const head = await headOf(draft, site.known, change.path);
    const seen = look(site, change.path);
    if (head === null || head.open || joins(head.state, seen.state)) continue;
    if (seen.blob !== null) draft.addBlob(seen.blob);
    appendChange(draft, change.path, head.state, seen.state, authorOf(change, now));
  }
}
