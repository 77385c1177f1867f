import { type CaptureSite, look } from '../capture/capture.ts';
import type { PlanLine } from '../model/plan.ts';
import { bytesOf, type PathDiff } from '../timeline/diff.ts';

/** What a line of a plan takes back: from how the path will be to how it is now. Reads only. */
export async function planLineDiff(site: CaptureSite, line: PlanLine): Promise<PathDiff> {
  const { path, target } = line;
  const beforeBytes = line.merged ?? (await bytesOf(site, target));
  const seen = look(site, path);
  const afterBytes = seen.blob?.bytes ?? null;
  return { path, before: target, after: seen.state, beforeBytes, afterBytes };
}
