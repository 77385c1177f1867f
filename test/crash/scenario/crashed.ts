import { callSite, type FileCall } from '../strace/file-calls.ts';
import { killAt } from '../strace/kill.ts';
import { copyPlace, type Place } from './place.ts';
import { type RewindScenario, rewindSteps } from './rewind-scenario.ts';

/** A moment in a rewind that leaves recovery something of its own kind to do. */
export interface Moment {
  readonly title: string;
  readonly point: FileCall;
}

/** One moment in each phase of a rewind, found among its calls. */
export function momentsOf(points: readonly FileCall[]): Moment[] {
  const first = (title: string, site: RegExp): Moment => {
    const point = points.find((call) => site.test(callSite(call)));
    if (point === undefined) throw new Error(`the rewind has no such moment: ${site}`);
    return { title, point };
  };
  const after = (title: string, site: RegExp): Moment => {
    const point = points[points.indexOf(first(title, site).point) + 1];
    if (point === undefined) throw new Error(`nothing comes after such a moment: ${site}`);
    return { title, point };
  };
  return [
    first('while files are staged', /^openat project\/src\/\.savepoint-.*\.new$/),
    first('when the intent is on record', /^chmod project\/made/),
    first('when an old file is put by and the new one not there', /^link project\/src\/app\.ts$/),
    after('when a new file has two names', /^link project\/src\/app\.ts$/),
    first('when everything is in place', /^fsync project$/),
    first('when the rewind is on record', /^unlink .*\.old$/),
  ];
}

/** A copy of the scenario's place, in which a process was killed at that moment. */
export async function crashedPlace(
  scratch: string,
  scenario: RewindScenario,
  point: FileCall,
  folder: string,
): Promise<Place> {
  const place = copyPlace(scenario.template, folder);
  await killAt(scratch, place, rewindSteps(scenario), point);
  return place;
}
