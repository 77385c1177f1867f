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
import { ApiError, post } from '../app/api-client.ts';
import { useLoaded } from '../app/load.ts';
import { announce, lastReceipt } from '../app/notices.tsx';
import { inProject, useProject } from '../app/projects.ts';
import { goTo } from '../app/router.ts';
import { Check } from '../ui/parts.tsx';
import { counted } from '../ui/shown.ts';
import { Failed, Loading } from '../ui/states.tsx';
import type { ExecutionName } from './execution-detail.tsx';

export interface Chosen {
  readonly what: keyof typeof ACTS;
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
  const Shown = ACTS[what];
  return (
    <section class="act" aria-label={what}>
      <Shown {...props} />
    </section>
  );
}

const ACTS = { resume: Resume, rollback: Rollback, fork: Fork } as const;

function Resume({ name: { kind, id }, onEnd }: ActProps) {
  const address = inProject(useProject(), 'executions', kind, id, 'resume');
  const ask = (dryRun: boolean) => post<ResumeAnswer>(address, { dryRun });
  const loaded = useLoaded(() => ask(true), []);
  const [refused, setRefused] = useState<ApiError | null>(null);
  const resume = async () => {
    try {
      const { next } = await ask(false);
      announce(`The next step is ${next}`);
      onEnd();
    } catch (failure) {
      setRefused(ApiError.of(failure));
    }
  };
  const error = loaded.state === 'failed' ? loaded.error : refused;
  if (error !== null) return <Failed error={error} />;
  if (loaded.state !== 'ready') return <Loading what="the plan" />;
  const { done, next, rolledBack, files } = loaded.value;
  return (
    <>
      <p>
        {counted(done, 'step stays', 'steps stay')} done; the program goes on with step {next} when
        it is started.{' '}
        {rolledBack.length === 0
          ? 'No step has to be rolled back.'
          : `Rolled back first: ${rolledBack.map(stepName).join(', ')}.`}
      </p>
      {files.length > 0 && (
        <ul class="paths">
          {files.map((path) => (
            <li key={path}>
              <code>{displayText(path)}</code> <span class="quiet">goes back</span>
            </li>
          ))}
        </ul>
      )}
      <Buttons verb="Make ready" onDo={resume} onEnd={onEnd} />
    </>
  );
}

function Rollback({ name, chosen, steps, onEnd }: ActProps) {
  const { kind: executionKind, id: executionId } = name;
  const project = useProject();
  const [to, setTo] = useState(Math.max(-1, chosen.step - 1));
  const request = { kind: 'rollback', executionId, executionKind, to };
  const loaded = useLoaded(
    (signal) => post<PlanAnswer>(inProject(project, 'plans'), request, { signal }),
    [to],
  );
  const plan = loaded.state === 'ready' && !loaded.isStale ? loaded.value : null;
  const [isAccepted, setAccepted] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);
  // Said until the next plan is there.
  useEffect(() => {
    if (plan !== null) setRefused(null);
  }, [plan]);
  const apply = async ({ planId, digest }: PlanAnswer) => {
    try {
      const address = inProject(project, 'plans', planId, 'apply');
      const accepted = { digest, acceptEffects: isAccepted };
      const { undo, seq } = await post<ApplyAnswer>(address, accepted);
      const text = `Rolled back ${displayText(executionId)}`;
      announce(text);
      if (undo !== null) lastReceipt.value = { project, operationId: undo.id, text, seq };
      onEnd();
    } catch (failure) {
      const error = ApiError.of(failure);
      setRefused(error);
      // The files changed meanwhile: nothing was done, and a person looks at the new plan first.
      if (error.code === 'plan-stale' || error.code === 'plan-unknown') loaded.again();
    }
  };
  const error = loaded.state === 'failed' ? loaded.error : refused;
  const effects = plan?.rollback?.effects ?? [];
  return (
    <>
      <p>
        <StepSelect
          label="Keep the steps up to"
          value={to}
          choose={setTo}
          steps={steps.slice(0, -1)}
          none="none"
        />
      </p>
      {error !== null && <Failed error={error} again={loaded.again} />}
      {plan === null ? (
        error === null && <Loading what="the plan" />
      ) : (
        <>
          <p>Takes back {plan.rollback?.steps.map(stepName).join(', ') ?? 'nothing'}.</p>
          <PlanLines lines={plan.lines} />
          {effects.length > 0 && (
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
              <Check checked={isAccepted} choose={setAccepted}>
                Roll back all the same
              </Check>
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

function Fork({ name: { kind, id: parent }, chosen, steps, onEnd }: ActProps) {
  const project = useProject();
  const [id, setId] = useState(`${parent}-2`);
  const [step, setStep] = useState(chosen.step);
  const [error, setError] = useState<ApiError | null>(null);
  const fork = async () => {
    try {
      const address = inProject(project, 'executions', kind, parent, 'fork');
      const made = await post<ForkAnswer>(address, { id, step });
      onEnd();
      goTo({ view: 'executions', project, execution: { kind, id: made.id } });
    } catch (failure) {
      setError(ApiError.of(failure));
    }
  };
  return (
    <>
      <p>A new execution begins after the first steps of this one. Files stay as they are.</p>
      <p class="fields">
        <label>
          Its name <input value={id} onInput={(event) => setId(event.currentTarget.value)} />
        </label>{' '}
        <StepSelect
          label="After"
          value={step}
          choose={setStep}
          steps={steps}
          none="the beginning"
        />
      </p>
      {error !== null && <Failed error={error} />}
      <Buttons verb="Fork" isReady={id !== '' && id !== parent} onDo={fork} onEnd={onEnd} />
    </>
  );
}

interface StepSelectProps {
  readonly label: string;
  readonly value: number;
  readonly choose: (step: number) => void;
  readonly steps: readonly StepJson[];
  /** What it says for -1, which is no step. */
  readonly none: string;
}

function StepSelect({ label, value, choose, steps, none }: StepSelectProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => choose(Number(event.currentTarget.value))}>
        <option value={-1}>{none}</option>
        {steps.map((step) => (
          <option key={step.index} value={step.index}>
            {stepName(step)}
          </option>
        ))}
      </select>
    </label>
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

const ACTIONS: Readonly<Record<PlanLineJson['action'], string>> = {
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
            {ACTIONS[action]}
            {message === null ? '' : `: ${displayText(message)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function stepName({ index, name }: { readonly index: number; readonly name: string }): string {
  return `${index} ${displayText(name)}`;
}
