import { selectedPath, type TrackedPath } from '../model/path.ts';
import type { RewindPlan } from '../model/plan.ts';
import { makePlan, type Planned } from '../plan/make-plan.ts';
import { operationToRedo, operationToUndo } from '../restore/operation-log.ts';
import type { SetRequest } from '../timeline/change-set.ts';
import { resolveCheckpoint } from '../timeline/resolve-checkpoint.ts';
import { runToUndo } from '../timeline/runs.ts';
import type { PlanOptions, RewindRequest, UndoRequest } from './requests.ts';
import type { Workbench } from './workbench.ts';

export async function planRewind(bench: Workbench, request: RewindRequest): Promise<Planned> {
  const checkpoint = await resolveCheckpoint(bench.store, request.to);
  const set: SetRequest = { take: request.take ?? 'since', checkpoint };
  const paths = request.paths?.map((path) => selectedPath(bench.root, path)) ?? null;
  const about = {
    set,
    kind: 'rewind',
    description: `rewind to ${checkpoint.description}`,
  } as const;
  return plan(bench, about, request, { paths, includeShared: request.includeShared ?? false });
}

/**
 * Whichever came last, unless one is named: the newest rewind in effect, or the newest command. Knows of
 * what the last scan has found: who wants all of it scans first.
 */
export async function planUndo(bench: Workbench, request: UndoRequest): Promise<Planned> {
  const id = request.operationId;
  const run = id === undefined ? await runToUndo(bench.store, request.force ?? false) : null;
  if (run !== null) {
    const set: SetRequest = { take: 'message', checkpoint: run };
    const about = { set, kind: 'undo', description: `undo ${run.description}` } as const;
    return plan(bench, about, request, {
      paths: null,
      includeShared: request.includeShared ?? false,
    });
  }
  const operation = await operationToUndo(bench.store, id);
  const set: SetRequest = { take: 'operation', operation };
  return plan(bench, { set, kind: 'undo', description: `undo ${operation.description}` }, request);
}

export async function planRedo(bench: Workbench, options: PlanOptions): Promise<Planned> {
  const operation = await operationToRedo(bench.store);
  const set: SetRequest = { take: 'operation', operation };
  const description = operation.description.replace(/^undo/, 'redo');
  return plan(bench, { set, kind: 'redo', description }, options);
}

interface About {
  readonly set: SetRequest;
  readonly kind: RewindPlan['kind'];
  readonly description: string;
}

interface Extent {
  readonly paths: readonly TrackedPath[] | null;
  readonly includeShared: boolean;
}

function plan(
  bench: Workbench,
  about: About,
  { onConflict, force = false }: PlanOptions,
  extent: Extent = { paths: null, includeShared: false },
): Promise<Planned> {
  const request = { ...about, ...extent, onConflict: onConflict ?? null, force };
  return bench.reading(() => makePlan(bench.rewindSite, request));
}
