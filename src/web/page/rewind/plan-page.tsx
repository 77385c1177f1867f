import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { PlanAnswer, PlanLineJson, PlanRequest } from '../../api.ts';
import { DiffStyleSwitch } from '../diff/diff-style.tsx';
import { Check, useSome } from '../ui/parts.tsx';
import { capital, counted } from '../ui/shown.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { doesWork, isUndecided } from './plan-choices.ts';
import { PlanFile } from './plan-file.tsx';
import { ReceiptView } from './receipt.tsx';
import { type PlanState, usePlan } from './use-plan.ts';

interface PlanPageProps {
  readonly base: PlanRequest;
  readonly title: string;
  readonly back: string;
  /** Ways to ask for another plan. */
  readonly children?: ComponentChildren;
}

/** A plan, file by file, with what can be chosen about it; then what it did. */
export function PlanPage({ base, title, back, children }: PlanPageProps) {
  const state = usePlan(base);
  const { plan, error, done } = state;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (done !== null) heading.current?.focus();
  }, [done]);
  const named = title === 'Undo' && plan !== null ? displayText(capital(plan.description)) : title;
  return (
    <div class="plan" aria-busy={state.isBusy}>
      <p class="meta">
        <a href={back}>← Back</a>
      </p>
      <h1 ref={heading} tabIndex={-1}>
        {done === null ? named : `Done. ${named}`}
      </h1>
      {done !== null ? (
        <ReceiptView {...done} />
      ) : (
        <>
          <div class="plan-bar">
            {children}
            <span class="space" />
            <DiffStyleSwitch />
          </div>
          {base.kind === 'rewind' && base.take === 'exact' && (
            <p class="notice stale">
              <strong>Everything since then goes back</strong>, also what you wrote yourself. You
              can undo it.
            </p>
          )}
          {state.isRenewed && (
            <p class="notice stale" role="alert">
              <strong>Files changed after this plan was made.</strong> Nothing was done. Below is
              the plan as it is now: look at it again before you apply it.
            </p>
          )}
          {error !== null && <Failed error={error} again={state.again} />}
          {error?.code === 'session-busy' && (
            <p>
              <button type="button" onClick={() => state.choose({ force: true })}>
                Make the plan although a tool call is running
              </button>
            </p>
          )}
          {plan === null ? (
            error === null && <Loading what="the plan" />
          ) : (
            <Plan {...{ state, plan }} />
          )}
        </>
      )}
    </div>
  );
}

interface PlanProps {
  readonly state: PlanState;
  readonly plan: PlanAnswer;
}

function Plan({ state, plan }: PlanProps) {
  const { whole, choices, choose } = state;
  const now = new Map(plan.lines.map((line) => [line.path, line]));
  const lines = (whole ?? plan).lines.map((line) => now.get(line.path) ?? line);
  const groups = groupsOf(lines);
  const stays = plan.lines.reduce((sum, line) => sum + line.stays, 0);
  const isRewind = plan.kind === 'rewind';
  const hasShared = lines.some(({ reason }) => reason === 'shared-attribution');
  if (lines.length === 0)
    return (
      <Empty title="Nothing to take back.">
        <p class="quiet">
          The files are already as this would leave them, or nothing is on record.
        </p>
      </Empty>
    );
  return (
    <>
      <p class="sums" aria-live="polite">
        {sumsOf(plan)}
      </p>
      {stays > 0 && (
        <p class="notice yours">
          <strong>What you wrote yourself stays.</strong> {counted(stays, 'line')} of yours in these
          files {stays === 1 ? 'is' : 'are'} marked <span class="tag-mine">yours</span> below.
        </p>
      )}
      {plan.notes.length > 0 && (
        <ul class="notes">
          {plan.notes.map((note) => (
            <li key={note.code}>
              {displayText(capital(note.message))}
              {note.code !== 'inferred' && note.paths.length > 0 && (
                <span class="quiet">
                  {' '}
                  ({note.paths.slice(0, 5).map(displayText).join(', ')}
                  {note.paths.length > 5 ? ' …' : ''})
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {(hasShared || choices.includeShared) && (
        <Check
          checked={choices.includeShared}
          choose={(includeShared) => choose({ includeShared })}
        >
          Also take back changes of which it is not certain who made them
        </Check>
      )}
      {groups.map(([title, group]) => (
        <Group key={title} of={group} title={title}>
          {(line, i) => (
            <PlanFile
              key={line.path}
              {...{ state, line, isRewind }}
              planId={(now.has(line.path) ? plan : (whole ?? plan)).planId}
              isEarly={title === CONFLICTS || i < 6}
            />
          )}
        </Group>
      ))}
      <ApplyBar state={state} plan={plan} />
    </>
  );
}

interface GroupProps {
  readonly of: readonly PlanLineJson[];
  readonly title: string;
  readonly children: (line: PlanLineJson, i: number) => ComponentChildren;
}

const SHOWN_FILES = 200;

function Group({ of, title, children }: GroupProps) {
  const [lines, moreLines] = useSome(of, SHOWN_FILES, 5 * SHOWN_FILES, 'more file');
  return (
    <section class="plan-group" aria-label={title}>
      <h2>
        {title} <span class="quiet">{of.length}</span>
      </h2>
      {lines.map(children)}
      {moreLines}
    </section>
  );
}

const CONFLICTS = 'In conflict';

function groupsOf(lines: readonly PlanLineJson[]): [string, PlanLineJson[]][] {
  const titleOf = (line: PlanLineJson): string => {
    if (isUndecided(line) || line.decided !== null) return CONFLICTS;
    if (doesWork(line)) return 'Goes back';
    return line.action === 'already-there' ? 'Already there' : 'Left as it is';
  };
  const order = [CONFLICTS, 'Goes back', 'Left as it is', 'Already there'];
  const groups = [...Map.groupBy(lines, titleOf)];
  return groups.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

function sumsOf({ counts, lines }: PlanAnswer): string {
  const same = lines.filter(({ action }) => action === 'already-there').length;
  const parts = [
    counts.work > 0 ? `${counted(counts.work, 'file')} will change` : 'No file will change',
    counts.merges > 0 ? `${counts.merges} merged with what others wrote` : '',
    counts.conflicts > 0 ? `${counted(counts.conflicts, 'conflict')} to decide` : '',
    counts.left > 0
      ? `${counted(counts.left, 'file')} left as ${counts.left === 1 ? 'it is' : 'they are'}`
      : '',
    same > 0 ? `${same} already there` : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function ApplyBar({ state, plan }: PlanProps) {
  const { isBusy, choices, choose, apply } = state;
  const { counts, busy } = plan;
  const isOpen = counts.conflicts > 0 && !choices.keepsConflicts;
  const isHeld = busy && !choices.force;
  const hasWork = plan.lines.some(
    (line) => doesWork(line) || line.action === 'already-there' || line.action === 'keep',
  );
  const why = isOpen
    ? `${counted(counts.conflicts, 'conflict')} to decide first`
    : isHeld
      ? 'The agent is at work'
      : hasWork
        ? ''
        : 'Nothing would change';
  return (
    <div class="apply-bar">
      {counts.conflicts > 0 && (
        <Check
          checked={choices.keepsConflicts}
          choose={(keepsConflicts) => choose({ keepsConflicts })}
        >
          Leave undecided conflicts as they are
        </Check>
      )}
      {busy && (
        <Check checked={choices.force} choose={(force) => choose({ force })}>
          Go ahead although a tool call is running
        </Check>
      )}
      <span class="space" />
      <span class="quiet" id="apply-why">
        {why}
      </span>
      <button
        type="button"
        class="button primary"
        aria-describedby="apply-why"
        aria-disabled={isBusy || why !== ''}
        onClick={() => !isBusy && why === '' && apply()}
      >
        {LABELS[plan.kind]}
        {counts.work > 0 ? ` ${counted(counts.work, 'file')}` : ''}
      </button>
    </div>
  );
}

const LABELS = { rewind: 'Take back', undo: 'Undo', rollback: 'Roll back' } as const;
