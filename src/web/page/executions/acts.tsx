import { useEffect, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type {
  ApplyAnswer,
  ForkAnswer,
  PlanAnswer,
  PlanLineJson,
  ResumeAnswer,
  StepJson,
} from '../../api.ts';
import { announce } from '../app/announce.tsx';
import { type ApiError, post } from '../app/api-client.ts';
import { lastReceipt } from '../app/last-receipt.ts';
import { asApiError } from '../app/load.ts';
import { inProject } from '../app/projects.ts';
import { goTo } from '../app/router.ts';
import { counted } from '../ui/shown.ts';
import { Failed, Loading } from '../ui/states.tsx';
import type { ExecutionName } from './execution-detail.tsx';

export interface Chosen {
  readonly what: 'resume' | 'rollback' | 'fork';
  /** The step that was chosen when it began. */
  readonly step: number;
}

interface ActProps {
  readonly name: ExecutionName;
  readonly chosen: Chosen;
  readonly steps: readonly StepJson[];
  readonly onEnd: () => void;
}

/** Something to do with an execution: its plan first, then a button that does it. */
export function Act(props: ActProps) {
  const { what } = props.chosen;
  return (
    <section class="act" aria-label={what}>
      {what === 'resume' ? <Resume {...props} /> : null}
      {what === 'rollback' ? <Rollback {...props} /> : null}
      {what === 'fork' ? <Fork {...props} /> : null}
    </section>
  );
}

function Resume({ name, onEnd }: ActProps) {
  const address = inProject(name.project, 'executions', name.kind, name.id, 'resume');
  const [plan, setPlan] = useState<ResumeAnswer | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const ask = (dryRun: boolean) =>
    post<ResumeAnswer>(address, { dryRun }).then(
      (answer) => {
        if (dryRun) setPlan(answer);
        else {
          announce(`The next step is ${answer.next}`);
          onEnd();
        }
      },
      (failure) => setError(asApiError(failure)),
    );
  useEffect(() => {
    ask(true);
  }, []);
  if (error !== null) return <Failed error={error} />;
  if (plan === null) return <Loading what="the plan" />;
  return (
    <>
      <p>
        {counted(plan.done, 'step stays', 'steps stay')} done; the program goes on with step{' '}
        {plan.next} when it is started.{' '}
        {plan.rolledBack.length === 0
          ? 'No step has to be rolled back.'
          : `Rolled back first: ${plan.rolledBack.map(stepName).join(', ')}.`}
      </p>
      <Paths paths={plan.files} />
      <Buttons verb="Make ready" onDo={() => ask(false)} onEnd={onEnd} />
    </>
  );
}

function Rollback({ name, chosen, steps, onEnd }: ActProps) {
  const { project, kind: executionKind, id: executionId } = name;
  const [to, setTo] = useState(Math.max(-1, chosen.step - 1));
  const [plan, setPlan] = useState<PlanAnswer | null>(null);
  const [isAccepted, setAccepted] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const make = () => {
    setPlan(null);
    const request = { kind: 'rollback', executionId, executionKind, to };
    post<PlanAnswer>(inProject(project, 'plans'), request).then(
      (answer) => {
        setPlan(answer);
        setError(null);
      },
      (failure) => setError(asApiError(failure)),
    );
  };
  useEffect(make, [to]);
  const apply = async (made: PlanAnswer) => {
    try {
      const answer = await post<ApplyAnswer>(inProject(project, 'plans', made.planId, 'apply'), {
        digest: made.digest,
        acceptEffects: isAccepted,
      });
      const text = `Rolled back ${displayText(executionId)}`;
      announce(text);
      if (answer.undo !== null) {
        lastReceipt.value = { project, operationId: answer.undo.id, text, seq: answer.seq };
      }
      onEnd();
    } catch (failure) {
      const refused = asApiError(failure);
      // The files changed meanwhile: nothing was done, and a person looks at the new plan first.
      if (refused.code === 'plan-stale' || refused.code === 'plan-unknown') make();
      setError(refused);
    }
  };
  const effects = plan?.rollback?.effects ?? [];
  return (
    <>
      <p>
        <label>
          Keep the steps up to{' '}
          <select value={to} onChange={(event) => setTo(Number(event.currentTarget.value))}>
            <option value={-1}>none</option>
            {steps.slice(0, -1).map((step) => (
              <option key={step.index} value={step.index}>
                {stepName(step)}
              </option>
            ))}
          </select>
        </label>
      </p>
      {error === null ? null : <Failed error={error} again={make} />}
      {plan === null ? (
        error === null && <Loading what="the plan" />
      ) : (
        <>
          <p>Takes back {plan.rollback?.steps.map(stepName).join(', ') ?? 'nothing'}.</p>
          <PlanLines lines={plan.lines} />
          {effects.length === 0 ? null : (
            <div class="effects">
              <p>
                <strong>This stays done, because nobody can undo it:</strong>
              </p>
              <ul>
                {effects.map((effect) => (
                  <li key={`${effect.index}${effect.declaredAt}${effect.description}`}>
                    {displayText(effect.description)}{' '}
                    <span class="quiet">({stepName(effect)})</span>
                  </li>
                ))}
              </ul>
              <label>
                <input
                  type="checkbox"
                  checked={isAccepted}
                  onChange={(event) => setAccepted(event.currentTarget.checked)}
                />{' '}
                Roll back all the same
              </label>
            </div>
          )}
          <Buttons
            verb="Roll back"
            isReady={(effects.length === 0 || isAccepted) && plan.counts.conflicts === 0}
            onDo={() => apply(plan)}
            onEnd={onEnd}
          />
        </>
      )}
    </>
  );
}

function Fork({ name, chosen, steps, onEnd }: ActProps) {
  const { project, kind } = name;
  const [id, setId] = useState(`${name.id}-2`);
  const [step, setStep] = useState(chosen.step);
  const [error, setError] = useState<ApiError | null>(null);
  const fork = () =>
    post<ForkAnswer>(inProject(project, 'executions', kind, name.id, 'fork'), { id, step }).then(
      (answer) => {
        onEnd();
        goTo({ view: 'executions', project, execution: { kind, id: answer.id } });
      },
      (failure) => setError(asApiError(failure)),
    );
  return (
    <>
      <p>A new execution begins after the first steps of this one. Files stay as they are.</p>
      <p class="fields">
        <label>
          Its name <input value={id} onInput={(event) => setId(event.currentTarget.value)} />
        </label>{' '}
        <label>
          After{' '}
          <select value={step} onChange={(event) => setStep(Number(event.currentTarget.value))}>
            <option value={-1}>the beginning</option>
            {steps.map((one) => (
              <option key={one.index} value={one.index}>
                {stepName(one)}
              </option>
            ))}
          </select>
        </label>
      </p>
      {error === null ? null : <Failed error={error} />}
      <Buttons verb="Fork" isReady={id !== '' && id !== name.id} onDo={fork} onEnd={onEnd} />
    </>
  );
}

function Buttons(props: {
  readonly verb: string;
  readonly isReady?: boolean;
  readonly onDo: () => void;
  readonly onEnd: () => void;
}) {
  return (
    <p class="acts">
      <button type="button" class="primary" disabled={props.isReady === false} onClick={props.onDo}>
        {props.verb}
      </button>
      <button type="button" onClick={props.onEnd}>
        Cancel
      </button>
    </p>
  );
}

const ACTIONS: Readonly<Partial<Record<PlanLineJson['action'], string>>> = {
  write: 'restored',
  delete: 'deleted',
  chmod: 'mode restored',
  link: 'restored',
  mkdir: 'made',
  merge: 'merged, what others wrote stays',
  'already-there': 'already there',
  keep: 'stays as it is',
  conflict: 'in conflict',
  skip: 'left',
};

function PlanLines({ lines }: { readonly lines: readonly PlanLineJson[] }) {
  if (lines.length === 0) return <p class="quiet">No file changes.</p>;
  return (
    <ul class="paths">
      {lines.map(({ index, path, action, message }) => (
        <li key={index}>
          <code>{displayText(path)}</code>{' '}
          <span class={action === 'conflict' ? 'bad' : 'quiet'}>
            {ACTIONS[action] ?? action}
            {message === null ? '' : `: ${displayText(message)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Paths({ paths }: { readonly paths: readonly string[] }) {
  if (paths.length === 0) return null;
  return (
    <ul class="paths">
      {paths.map((path) => (
        <li key={path}>
          <code>{displayText(path)}</code> <span class="quiet">goes back</span>
        </li>
      ))}
    </ul>
  );
}

function stepName({ index, name }: { readonly index: number; readonly name: string }): string {
  return `${index} ${displayText(name)}`;
}
