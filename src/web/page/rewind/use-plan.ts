import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApplyAnswer, PlanAnswer, PlanRequest } from '../../api.ts';
import { ApiError, post } from '../app/api-client.ts';
import { announce, lastReceipt } from '../app/notices.tsx';
import { inProject, useProject } from '../app/projects.ts';
import { chosenRequest, NO_CHOICES, type PlanChoices } from './plan-choices.ts';
import { receiptLine } from './receipt.tsx';

export interface PlanState {
  /** What will be applied; null before the first answer. */
  readonly plan: PlanAnswer | null;
  /** Also with the files that the person left out. */
  readonly whole: PlanAnswer | null;
  readonly choices: PlanChoices;
  readonly choose: (choices: Partial<PlanChoices>) => void;
  /** A new plan is being made, or this one is being applied. */
  readonly isBusy: boolean;
  readonly error: ApiError | null;
  /** The files changed after the plan was made: this is the plan as it is now. */
  readonly isRenewed: boolean;
  readonly done: ApplyAnswer | null;
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
  const [plan, setPlan] = useState<PlanAnswer | null>(null);
  const [whole, setWhole] = useState<PlanAnswer | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(true);
  const [isRenewed, setRenewed] = useState(false);
  const [done, setDone] = useState<ApplyAnswer | null>(null);
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
    setBusy(true);
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
      setWhole(known.current.plan);
      setPlan(answer);
      setReading((last) => (last.signal.aborted ? new AbortController() : last));
      setError(null);
      setBusy(false);
    };
    make().catch((failure) => {
      if (control.signal.aborted) return;
      setError(ApiError.of(failure));
      setBusy(false);
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
    if (plan === null || isBusy || isOld.current) return;
    isOld.current = true;
    reading.abort();
    setBusy(true);
    setRenewed(false);
    post<ApplyAnswer>(inProject(project, 'plans', plan.planId, 'apply'), {
      digest: plan.digest,
    }).then(
      (answer) => {
        const { receipt, seq } = answer;
        const { operationId } = receipt;
        const text = receiptLine(receipt);
        lastReceipt.value = operationId === null ? null : { project, operationId, text, seq };
        announce(text);
        setDone(answer);
        setError(null);
        setBusy(false);
      },
      (failure) => {
        const refused = ApiError.of(failure);
        if (refused.code !== 'plan-stale' && refused.code !== 'plan-unknown') {
          isOld.current = false;
          setReading(new AbortController());
          setError(refused);
          setBusy(false);
          return;
        }
        setRenewed(true);
        void renew();
        announce('Files changed since the plan was made. Nothing was done. This is the new plan.');
      },
    );
  };

  return {
    plan,
    whole,
    choices,
    choose: (change) => {
      isOld.current = true;
      setChoices((last) => ({ ...last, ...change }));
    },
    isBusy,
    error,
    isRenewed,
    done,
    reading: reading.signal,
    apply,
    again: renew,
  };
}

function stampsOf(plan: PlanAnswer | null): ReadonlyMap<string, string> {
  return new Map(plan?.lines.map(({ path, stamp }) => [path, stamp]));
}
