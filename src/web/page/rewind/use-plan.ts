import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApplyAnswer, PlanAnswer, PlanRequest } from '../../api.ts';
import { ApiError, post } from '../app/api-client.ts';
import { announce, lastReceipt } from '../app/notices.tsx';
import { inProject, useProject } from '../app/projects.ts';
import { chosenRequest, NO_CHOICES, type PlanChoices } from './plan-choices.ts';
import { receiptLine } from './receipt.tsx';

interface Shown {
  /** What will be applied; null before the first answer. */
  readonly plan: PlanAnswer | null;
  /** Also with the files that the person left out. */
  readonly whole: PlanAnswer | null;
  /** A new plan is being made, or this one is being applied. */
  readonly isBusy: boolean;
  readonly error: ApiError | null;
  /** The files changed after the plan was made: this is the plan as it is now. */
  readonly isRenewed: boolean;
  readonly done: ApplyAnswer | null;
}

const NOTHING: Shown = {
  plan: null,
  whole: null,
  isBusy: true,
  error: null,
  isRenewed: false,
  done: null,
};

export interface PlanState extends Shown {
  readonly choices: PlanChoices;
  readonly choose: (choices: Partial<PlanChoices>) => void;
  /** For requests that read the files of the plan. Aborted when the plan is applied, which changes those files. */
  readonly reading: AbortSignal;
  readonly apply: () => void;
  readonly again: () => void;
}

const PAUSE_MS = 150;

/** A plan, made anew with each choice, and applied once. `base` says what it is about. */
export function usePlan(base: PlanRequest): PlanState {
  const project = useProject();
  const about = JSON.stringify(base);
  const [choices, setChoices] = useState(NO_CHOICES);
  const [round, setRound] = useState(0);
  const [shown, setShown] = useState(NOTHING);
  const show = (change: Partial<Shown>) => setShown((last) => ({ ...last, ...change }));
  const [reading, setReading] = useState(() => new AbortController());
  // From the moment of a choice on, the plan that is shown is not the one that was chosen.
  const isOld = useRef(true);
  const known = useRef<{ about: string; plan: PlanAnswer | null }>({ about, plan: null });

  useEffect(() => {
    if (known.current.about !== about) known.current = { about, plan: null };
    const control = new AbortController();
    const made = (request: PlanRequest) =>
      post<PlanAnswer>(inProject(project, 'plans'), request, { signal: control.signal });
    isOld.current = true;
    show({ isBusy: true });
    const make = async () => {
      // A person who types or ticks several boxes waits for one plan.
      await new Promise((resolve) =>
        setTimeout(resolve, known.current.plan === null ? 0 : PAUSE_MS),
      );
      if (control.signal.aborted) return;
      const isPart = choices.leftOut.size > 0;
      // The files to name are those of the plan without this choice.
      const all = chosenRequest(base, { ...choices, leftOut: new Set() }, known.current.plan);
      const everything = isPart && known.current.plan !== null ? null : await made(all);
      if (everything !== null) known.current = { about, plan: everything };
      const chosen = chosenRequest(base, choices, known.current.plan);
      const answer = isPart ? await made(chosen) : (everything as PlanAnswer);
      if (control.signal.aborted) return;
      isOld.current = false;
      show({ whole: known.current.plan, plan: answer, error: null, isBusy: false });
      setReading((last) => (last.signal.aborted ? new AbortController() : last));
    };
    make().catch((failure) => {
      if (!control.signal.aborted) show({ error: ApiError.of(failure), isBusy: false });
    });
    return () => control.abort();
  }, [project, about, choices, round]);

  /** A decision about a file that has changed since is no decision: the person has not seen what is there. */
  const renew = async () => {
    const seen = stampsOf(known.current.plan);
    known.current = { about, plan: null };
    const bare = chosenRequest(base, { ...NO_CHOICES, includeShared: choices.includeShared }, null);
    const fresh = await post<PlanAnswer>(inProject(project, 'plans'), bare).catch(() => null);
    const now = stampsOf(fresh);
    const isSame = ([path]: readonly [string, unknown]) =>
      now.has(path) && now.get(path) === seen.get(path);
    setChoices((last) => ({
      ...last,
      leftOut: new Set([...last.leftOut].filter((path) => now.has(path))),
      hunks: new Map([...last.hunks].filter(isSame)),
      resolutions: new Map([...last.resolutions].filter(isSame)),
    }));
    setRound((last) => last + 1);
  };

  const apply = () => {
    const { plan, isBusy } = shown;
    if (plan === null || isBusy || isOld.current) return;
    isOld.current = true;
    reading.abort();
    show({ isBusy: true, isRenewed: false });
    const { planId, digest } = plan;
    post<ApplyAnswer>(inProject(project, 'plans', planId, 'apply'), { digest }).then(
      (answer) => {
        const { receipt, seq } = answer;
        const { operationId } = receipt;
        const text = receiptLine(receipt);
        lastReceipt.value = operationId === null ? null : { project, operationId, text, seq };
        announce(text);
        show({ done: answer, error: null, isBusy: false });
      },
      (failure) => {
        const error = ApiError.of(failure);
        if (error.code !== 'plan-stale' && error.code !== 'plan-unknown') {
          isOld.current = false;
          setReading(new AbortController());
          show({ error, isBusy: false });
          return;
        }
        show({ isRenewed: true });
        void renew();
        announce('Files changed since the plan was made. Nothing was done. This is the new plan.');
      },
    );
  };

  return {
    ...shown,
    choices,
    choose: (change) => {
      isOld.current = true;
      setChoices((last) => ({ ...last, ...change }));
    },
    reading: reading.signal,
    apply,
    again: renew,
  };
}

function stampsOf(plan: PlanAnswer | null): ReadonlyMap<string, string> {
  return new Map(plan?.lines.map(({ path, stamp }) => [path, stamp]));
}
