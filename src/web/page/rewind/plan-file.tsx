import { useRef, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { PlanHunk, PlanLineAnswer, PlanLineJson } from '../../api.ts';
import { get } from '../app/api-client.ts';
import { useLoaded } from '../app/load.ts';
import { inProject, useProject } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { SidesView } from '../diff/side-by-kind.tsx';
import { Check, Fold, LineCounts } from '../ui/parts.tsx';
import { Either } from '../ui/states.tsx';
import { ConflictResolver } from './conflict-resolver.tsx';
import { HunkList, YoursList } from './hunk-list.tsx';
import { doesWork, isUndecided } from './plan-choices.ts';
import type { PlanState } from './use-plan.ts';

interface PlanFileProps {
  readonly state: PlanState;
  readonly line: PlanLineJson;
  /** The plan that the line is of. */
  readonly planId: string;
  /** Whether files can be left out. */
  readonly isRewind: boolean;
  /** Shown open. */
  readonly isEarly: boolean;
}

const MANY_LINES = 2_000;

/** One file of a plan: what happens to it and why, and what can be chosen. */
export function PlanFile({ state, line, planId, isRewind, isEarly }: PlanFileProps) {
  const project = useProject();
  const { choices, choose } = state;
  const { path } = line;
  const isLeftOut = choices.leftOut.has(path);
  const canOpen = doesWork(line) || line.decidable || line.decided !== null;
  const [isOpen, setOpen] = useState(
    canOpen && isEarly && line.insertions + line.deletions < MANY_LINES,
  );
  const leave = (isLeft: boolean) => {
    const leftOut = new Set(choices.leftOut);
    if (isLeft) leftOut.add(path);
    else leftOut.delete(path);
    choose({ leftOut });
  };
  return (
    <section class="file plan-file" data-path={path} data-left={isLeftOut ? '' : undefined}>
      <div class="file-bar">
        {canOpen && <Fold {...{ isOpen, setOpen }}>Details of {displayText(path)}</Fold>}
        {isRewind && (doesWork(line) || isUndecided(line)) ? (
          <Check checked={!isLeftOut} choose={(isTaken) => leave(!isTaken)}>
            <span class="unseen">Take back </span>
            <code>{displayText(path)}</code>
          </Check>
        ) : (
          <code>{displayText(path)}</code>
        )}
        <span class={`badge action ${line.action}`}>{isLeftOut ? 'left out' : wordFor(line)}</span>
        <LineCounts {...line} />
        {line.hunks !== null && line.hunks.taken < line.hunks.total && !isLeftOut && (
          <span class="quiet">
            {line.hunks.taken} of {line.hunks.total} places
          </span>
        )}
        <span class="space" />
        <a class="quiet" href={linkTo({ view: 'file', project, path })}>
          History<span class="unseen"> of {displayText(path)}</span>
        </a>
      </div>
      <p class="why">
        {isLeftOut ? 'You left it out: it stays as it is.' : whyOf(line)}
        {line.takesUnrecorded && !isLeftOut && (
          <strong class="warn"> Also takes back what was done to it since the last record.</strong>
        )}
      </p>
      {isOpen && !isLeftOut && <Details key={line.stamp} {...{ state, line, planId }} />}
    </section>
  );
}

function Details({ state, line, planId }: Pick<PlanFileProps, 'state' | 'line' | 'planId'>) {
  const project = useProject();
  const { path, index, decided } = line;
  const { reading } = state;
  // The same file in a newer plan: what is shown stays until the new one is there.
  const loaded = useLoaded(
    (signal) =>
      get<PlanLineAnswer>(inProject(project, 'plans', planId, 'lines', index), {
        signal: AbortSignal.any([signal, reading]),
      }),
    [planId, index, reading],
    [project, path],
  );
  const isStale = loaded.state === 'failed' && loaded.error.code === 'plan-stale';
  const again = isStale ? state.again : loaded.again;
  // Once a conflict is decided, the plan has none: the way to decide otherwise stays.
  const conflict = useRef<PlanLineAnswer['conflict']>(null);
  if (loaded.state === 'ready' && loaded.value.conflict !== null)
    conflict.current = loaded.value.conflict;
  return (
    <Either of={{ ...loaded, again }} what="the file">
      {({ now, target, hunks, stays }) => (
        <div class="plan-details">
          {conflict.current !== null && (
            <ConflictResolver {...{ state, line }} conflict={conflict.current} />
          )}
          {conflict.current !== null && decided === null ? null : hunks.length > 0 &&
            decided === null ? (
            <>
              <HunkList
                {...{ path, hunks }}
                chosen={state.choices.hunks.get(path)}
                choose={(ids) => chooseHunks(state, path, hunks, ids)}
              />
              <YoursList {...{ path, stays }} text={target.text ?? ''} />
            </>
          ) : (
            <SidesView
              path={path}
              before={now}
              after={target}
              caption={`What happens to ${displayText(path)}: from now to afterwards`}
              yours={stays}
            />
          )}
        </div>
      )}
    </Either>
  );
}

/** A file of which all hunks are taken goes back whole; one of which none is taken is left out. */
function chooseHunks(
  { choices, choose }: PlanState,
  path: string,
  hunks: readonly PlanHunk[],
  ids: readonly string[],
): void {
  const chosen = new Map(choices.hunks);
  if (ids.length === 0) {
    chosen.delete(path);
    choose({ hunks: chosen, leftOut: new Set([...choices.leftOut, path]) });
    return;
  }
  if (ids.length === hunks.length) chosen.delete(path);
  else chosen.set(path, ids);
  choose({ hunks: chosen });
}

/** What happens to a file, in a word and in a sentence. */
const ACTIONS: Readonly<Record<PlanLineJson['action'], readonly [word: string, why: string]>> = {
  write: ['restore', 'Goes back to how it was.'],
  link: ['restore', 'Goes back to the link that it was.'],
  mkdir: ['restore', 'The folder is made again.'],
  chmod: ['restore', 'Its permissions go back.'],
  delete: ['delete', 'Created since then: will be deleted.'],
  merge: ['merge', 'Goes back, and what others changed in it stays.'],
  'already-there': ['same', 'Is already as it was.'],
  keep: ['keep', 'Stays as it is, as you decided.'],
  conflict: ['conflict', 'Cannot go back by itself'],
  skip: ['left', 'Left as it is'],
};

function wordFor({ action, decided }: PlanLineJson): string {
  return decided === 'content' ? 'decided' : ACTIONS[action][0];
}

function whyOf(line: PlanLineJson): string {
  const { action, now, message, decided } = line;
  if (decided === 'content') return 'Becomes what you decided below.';
  if (decided === 'restore') return 'Becomes what the rewind brings, as you decided.';
  if (action === 'write' && now === null) return 'Was deleted: comes back.';
  const [, why] = ACTIONS[action];
  if (action !== 'conflict' && action !== 'skip') return why;
  const reason = action === 'conflict' ? (message ?? 'somebody else changed it too') : message;
  return `${why}: ${displayText(reason ?? '')}.`;
}
