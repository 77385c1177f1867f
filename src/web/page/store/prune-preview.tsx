import { useState } from 'preact/hooks';
import type { PruneAnswer, PruneRequest } from '../../api.ts';
import { post } from '../app/api-client.ts';
import { useLoaded } from '../app/load.ts';
import { inProject } from '../app/projects.ts';
import { counted, shownBytes } from '../ui/shown.ts';
import { Either } from '../ui/states.tsx';

/** What prune would free, by the rules or older than some days. */
export function PrunePreview({ project }: { readonly project: string }) {
  const [days, setDays] = useState('');
  const olderThanDays = /^\d+$/.test(days) ? Number(days) : null;
  const request: PruneRequest = olderThanDays === null ? {} : { olderThanDays };
  const [loaded, again] = useLoaded(
    (signal) => post<PruneAnswer>(inProject(project, 'prune'), request, { signal }),
    [project, olderThanDays],
  );
  const command =
    olderThanDays === null ? 'savepoint prune' : `savepoint prune --older-than ${olderThanDays}d`;
  return (
    <section aria-labelledby="prune">
      <h2 id="prune">What prune would free</h2>
      <p>
        <label>
          Older than{' '}
          <input
            class="days"
            inputMode="numeric"
            placeholder="the rules"
            value={days}
            onInput={(event) => setDays(event.currentTarget.value.trim())}
          />{' '}
          days
        </label>
      </p>
      <div role="status">
        <Either of={loaded} what="what could go" again={again}>
          {(plan) =>
            plan.checkpoints + plan.blobs === 0 ? (
              <p class="quiet">Nothing: all of it is still wanted.</p>
            ) : (
              <p>
                Up to <strong>{shownBytes(plan.upToBytes)}</strong> of {shownBytes(plan.diskBytes)}:{' '}
                {counted(plan.checkpoints, 'checkpoint')}, {counted(plan.changes, 'change')},{' '}
                {counted(plan.blobs, 'content')}, {counted(plan.operations, 'operation')}. To remove
                them, type <code>{command}</code> in the project.
              </p>
            )
          }
        </Either>
      </div>
    </section>
  );
}
