import type { ExecutionSite } from '../execution/execution-site.ts';
import { SavepointError } from '../model/errors.ts';
import { applyPlan } from '../restore/apply.ts';
import { findExecution } from '../store/find.ts';
import { restoreContext } from './rewind.ts';
import { agentsWork, scanWith } from './scan.ts';
import type { Workbench } from './workbench.ts';

// Here, so that one dynamic import of the engine brings all that executions need.
export { forkExecution, openExecution } from '../execution/open-execution.ts';
export { applyRollback, planRollback } from '../execution/take-back-steps.ts';

/** The parts of the engine that executions use. */
export function executionSite(bench: Workbench): ExecutionSite {
  const { store, settings } = bench;
  return {
    store,
    files: bench.site,
    rewindFiles: bench.rewindSite,
    scans: settings.scan,
    now: () => settings.now(),
    write: (work) => bench.write((draft, now) => work(draft, now, 'named')),
    scanned: (movedOn, work) =>
      scanWith(bench, { ended: agentsWork(movedOn) }, (draft, now, { coverage }) =>
        work(draft, now, coverage),
      ),
    locked: (work) => bench.locked(work),
    finds: (now) => bench.finds(now),
    apply: (plan, fence, operationId) =>
      bench.locked(async () => {
        // Another process that takes it over does that under this lock.
        const held = await findExecution(store, fence.executionId);
        if (held?.token !== fence.token) {
          throw new SavepointError('execution-lost', 'the execution was taken over, or given back');
        }
        return applyPlan({ ...restoreContext(bench, null), operationId }, plan);
      }),
  };
}
