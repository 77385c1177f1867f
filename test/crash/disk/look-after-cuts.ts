import { mkdirSync } from 'node:fs';
import { titled } from '../campaign.ts';
import type { ChildReport } from '../child/steps.ts';
import { type Place, placeIn, settleStore, withFolder } from '../scenario/place.ts';
import { type CutOptions, cuts } from './cut-points.ts';
import { materialise } from './on-real-disk.ts';
import type { Remains } from './power-cut.ts';

export interface Result {
  readonly outcome?: unknown;
  readonly problems: string[];
}

/** A look at what a power cut left, knowing what had been promised by then. */
export type Look = (place: Place, reports: readonly ChildReport[], turn: number) => Promise<Result>;

/** Puts every disk that the cuts leave into a real folder, one after the other, and looks at it. */
export async function lookAfterCuts(
  scratch: string,
  options: CutOptions,
  look: Look,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const { title, remains, reports } of cuts(options)) {
    const turn = results.length;
    const lookAt = (place: Place): Promise<Result> => look(place, reports, turn);
    results.push(await titled(title, () => onDisk(scratch, remains, lookAt)));
  }
  return results;
}

function onDisk<T>(
  scratch: string,
  remains: Remains,
  look: (place: Place) => Promise<T>,
): Promise<T> {
  return withFolder(scratch, (folder) => {
    materialise(remains, folder);
    const place = placeIn(folder);
    mkdirSync(place.project, { recursive: true });
    settleStore(place);
    return look(place);
  });
}
