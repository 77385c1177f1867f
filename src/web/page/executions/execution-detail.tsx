import { useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { AttemptJson, ExecutionAnswer, StepJson } from '../../api.ts';
import { get } from '../app/api-client.ts';
import { useLive } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { inProject } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { counted, shownDuration, wholeTime } from '../ui/shown.ts';
import { Either } from '../ui/states.tsx';
import { Act, type Chosen } from './acts.tsx';
import { StateOfStep } from './state-of-step.tsx';
import { StatusChip } from './status-chip.tsx';

export interface ExecutionName {
  readonly project: string;
  readonly kind: 'steps' | 'checkpoints';
  readonly id: string;
}

/** One execution: its steps with their attempts, what each changed in the state, and what can be done with it. */
export function ExecutionDetail(name: ExecutionName) {
  const { project, kind, id } = name;
  const [loaded, again] = useLoaded(
    (signal) => get<ExecutionAnswer>(inProject(project, 'executions', kind, id), { signal }),
    [project, kind, id],
  );
  useLive((event) => {
    if (event.type === 'executions') again();
  });
  return (
    <section class="execution" aria-label={displayText(id)}>
      <Either of={loaded} what="the execution" again={again}>
        {(answer) => <Shown name={name} answer={answer} again={again} />}
      </Either>
    </section>
  );
}

function Shown(props: {
  readonly name: ExecutionName;
  readonly answer: ExecutionAnswer;
  readonly again: () => void;
}) {
  const { execution, steps, can } = props.answer;
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
        {can.why === null ? null : <span class="quiet">{displayText(can.why)}</span>}
      </div>
      {act === null ? null : (
        <Act
          key={`${act.what} ${act.step}`}
          name={props.name}
          chosen={act}
          steps={steps}
          onEnd={() => {
            setAct(null);
            props.again();
          }}
        />
      )}
      <ol class="steps" aria-label="Steps">
        {steps.map((one) => (
          <StepRow
            key={one.index}
            step={one}
            project={props.name.project}
            isChosen={one.index === step?.index}
            onChoose={() => setChosen(one.index)}
          />
        ))}
      </ol>
      {step === undefined ? (
        <p class="quiet">It has no step yet.</p>
      ) : (
        <StateOfStep key={step.index} name={props.name} step={step} />
      )}
    </>
  );
}

function StepRow(props: {
  readonly step: StepJson;
  readonly project: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { step } = props;
  const last = step.attempts.at(-1);
  const effects = step.attempts.flatMap((attempt) => attempt.effects);
  const earlier = step.attempts.slice(0, -1);
  return (
    <li class={props.isChosen ? 'chosen' : ''}>
      <button type="button" class="plain" aria-pressed={props.isChosen} onClick={props.onChoose}>
        <span class="index">{step.index}</span>
        <span class="name">
          {displayText(step.name)}
          {step.key === null ? null : <span class="quiet"> {displayText(step.key)}</span>}
        </span>
        <StatusChip status={step.status} />
        <span class="quiet">{last === undefined ? '' : durationOf(last)}</span>
      </button>
      {last?.checkpointId ? (
        <a href={linkTo({ view: 'checkpoint', project: props.project, id: last.checkpointId })}>
          files
        </a>
      ) : null}
      {last?.error ? <p class="bad">{displayText(last.error)}</p> : null}
      {effects.map((effect) => (
        <p key={effect.declaredAt + effect.description} class="effect">
          cannot be undone: {displayText(effect.description)}
        </p>
      ))}
      {earlier.length === 0 ? null : (
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
