import type { PlanAnswer, PlanLineJson, PlanRequest, ResolutionJson } from '../../api.ts';
import { pathRef } from '../app/projects.ts';

/** What a person has chosen about a plan; the plan is made anew with it. Keyed by path. */
export interface PlanChoices {
  /** Files that are to stay as they are. */
  readonly leftOut: ReadonlySet<string>;
  /** For these files, the ids of the only hunks to take back. */
  readonly hunks: ReadonlyMap<string, readonly string[]>;
  readonly resolutions: ReadonlyMap<string, Pick<ResolutionJson, 'take' | 'stamp'>>;
  readonly includeShared: boolean;
  readonly force: boolean;
  /** Conflicts that nobody decided stay as they are. */
  readonly keepsConflicts: boolean;
}

export const NO_CHOICES: PlanChoices = {
  leftOut: new Set(),
  hunks: new Map(),
  resolutions: new Map(),
  includeShared: false,
  force: false,
  keepsConflicts: false,
};

/** `whole`: the plan before any file was left out, which names them all. */
export function chosenRequest(
  base: PlanRequest,
  choices: PlanChoices,
  whole: PlanAnswer | null,
): PlanRequest {
  if (base.kind === 'rollback') return base;
  const { leftOut, hunks, resolutions, includeShared, force, keepsConflicts } = choices;
  const bytes = whole?.pathBytes ?? {};
  const decided = [...resolutions].filter(([path]) => !leftOut.has(path));
  const common = {
    ...(keepsConflicts ? { onConflict: 'keep' as const } : {}),
    ...(force ? { force } : {}),
    ...(includeShared ? { includeShared } : {}),
    ...(decided.length > 0
      ? { resolutions: decided.map(([path, one]) => ({ path: pathRef(path, bytes), ...one })) }
      : {}),
  };
  if (base.kind === 'undo') return { ...base, ...common };
  const chosen = [...hunks].filter(([path]) => !leftOut.has(path));
  const take = chosen.map(([path, ids]) => ({ path: pathRef(path, bytes), take: ids }));
  const paths = whole === null || leftOut.size === 0 ? null : chosenPaths(whole, leftOut);
  return {
    ...base,
    ...common,
    ...(take.length > 0 ? { hunks: take } : {}),
    ...(paths === null ? {} : { paths }),
  };
}

/** A folder stands for all that is in it, so it is not named where something in it is left out. */
function chosenPaths({ lines, pathBytes }: PlanAnswer, leftOut: ReadonlySet<string>) {
  const isWhole = (path: string) => [...leftOut].every((left) => !left.startsWith(`${path}/`));
  return lines
    .filter(({ path }) => !leftOut.has(path) && isWhole(path))
    .map(({ path }) => pathRef(path, pathBytes));
}

/** Whether a line does anything to its path when the plan is carried out. */
export function doesWork({ action }: Pick<PlanLineJson, 'action'>): boolean {
  return !['already-there', 'keep', 'conflict', 'skip'].includes(action);
}

export function isUndecided({ action }: Pick<PlanLineJson, 'action'>): boolean {
  return action === 'conflict';
}
