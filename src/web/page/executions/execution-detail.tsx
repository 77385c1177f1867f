import { useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { AttemptJson, ExecutionAnswer, ExecutionJson, StepJson } from '../../api.ts';
import { useLive } from '../app/live.ts';
import { useAnswer } from '../app/load.ts';
import { useProject } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { counted, shownDuration, wholeTime } from '../ui/shown.ts';
import { Either } from '../ui/states.tsx';
import { Act, type Chosen } from './acts.tsx';
import { StateOfStep } from './state-of-step.tsx';

export type ExecutionName = Pick<ExecutionJson, 'kind' | 'id'>;

/** One execution: its steps with their attempts, what each changed in the state, and what can be done with it. */
export function ExecutionDetail({ kind, id }: ExecutionName) {
  const loaded = useAnswer<ExecutionAnswer>(['executions', kind, id]);
  useLive(({ type }) => type === 'executions' && loaded.again());
  return (
    <section class="execution" aria-label={displayText(id)}>
      <Either of={loaded} what="the execution">
        {(answer) => <Shown {...answer} again={loaded.again} />}
      </Either>
    </section>
  );
}

function Shown({ execution, steps, can, again }: ExecutionAnswer & { readonly again: () => void }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const [act, setAct] = useState<Chosen | null>(null);
  const step = steps.find(({ index }) => index === chosen) ?? steps.at(-1);
  const begin = (what: Chosen['what']) => setAct({ what, step: step?.index ?? -1 });
  return (
    <>
      <h2>
        {displayText(execution.id)} <StatusChip status={execution.status} />
      </h2>
      <p class="quiet">
        {execution.createdAt === null
          ? ''
          : `Began ${wholeTime(Date.parse(execution.createdAt))}. `}
        {execution.holder === null
          ? 'No process holds it.'
          : `Held by process ${execution.holder.processId ?? 'unknown'}${execution.holder.host === null ? '' : ` on ${displayText(execution.holder.host)}`}.`}
        {execution.parent === null ? null : (
          <>
            {' '}
            Forked from {displayText(execution.parent.id)} after step {execution.parent.step}.
          </>
        )}
      </p>
      <div class="acts">
        <button type="button" disabled={!can.resume} onClick={() => begin('resume')}>
          Make ready to resume…
        </button>
        <button type="button" disabled={!can.rollback} onClick={() => begin('rollback')}>
          Roll back…
        </button>
        <button type="button" disabled={!can.fork} onClick={() => begin('fork')}>
          Fork…
        </button>
        {can.why !== null && <span class="quiet">{displayText(can.why)}</span>}
      </div>
      {act !== null && (
        <Act
          key={`${act.what} ${act.step}`}
          name={execution}
          chosen={act}
          steps={steps}
          onEnd={() => {
            setAct(null);
            again();
          }}
        />
      )}
      <ol class="steps" aria-label="Steps">
        {steps.map((one) => (
          <StepRow
            key={one.index}
            step={one}
            isChosen={one.index === step?.index}
            onChoose={() => setChosen(one.index)}
          />
        ))}
      </ol>
      {step === undefined ? (
        <p class="quiet">It has no step yet.</p>
      ) : (
        <StateOfStep key={step.index} name={execution} step={step} />
      )}
    </>
  );
}

interface StepProps {
  readonly step: StepJson;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function StepRow({ step, isChosen, onChoose }: StepProps) {
  const project = useProject();
  const last = step.attempts.at(-1);
  const effects = step.attempts.flatMap((attempt) => attempt.effects);
  const earlier = step.attempts.slice(0, -1);
  return (
    <li class={isChosen ? 'chosen' : ''}>
      <button type="button" class="plain" aria-pressed={isChosen} onClick={onChoose}>
        <span class="index">{step.index}</span>
        <span class="name">
          {displayText(step.name)}
          {step.key !== null && <span class="quiet"> {displayText(step.key)}</span>}
        </span>
        <StatusChip status={step.status} />
        <span class="quiet">{last === undefined ? '' : durationOf(last)}</span>
      </button>
      {last?.checkpointId ? (
        <a href={linkTo({ view: 'checkpoint', project, id: last.checkpointId })}>files</a>
      ) : null}
      {last?.error ? <p class="bad">{displayText(last.error)}</p> : null}
      {effects.map((effect) => (
        <p key={effect.declaredAt + effect.description} class="effect">
          cannot be undone: {displayText(effect.description)}
        </p>
      ))}
      {earlier.length > 0 && (
        <details>
          <summary>{counted(earlier.length, 'earlier attempt')}</summary>
          <ul>
            {earlier.map((attempt) => (
              <li key={attempt.attempt}>
                {attempt.attempt}. <StatusChip status={attempt.status} /> {durationOf(attempt)}{' '}
                {attempt.error === null ? '' : displayText(attempt.error)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function durationOf({ startedAt, endedAt }: AttemptJson): string {
  if (startedAt === null || endedAt === null) return '';
  return shownDuration(Date.parse(endedAt) - Date.parse(startedAt));
}

const TONES: Readonly<Record<string, string>> = {
  success: 'good',
  finished: 'good',
  running: 'warn',
  failed: 'bad',
  killed: 'bad',
};

/** The status of an execution, a step or an attempt. */
export function StatusChip({ status }: { readonly status: string }) {
  return <b class={`chip ${TONES[status] ?? ''}`}>{displayText(status.replace('-', ' '))}</b>;
}
