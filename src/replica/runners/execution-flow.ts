import { inspect } from 'node:util';
import type { KnownExecution } from '../../execution/index.ts';
import { displayText, type ExecutionState } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { planText } from '../../terminal/plan-text.ts';
import type { EngineExecutions, ExecutionPlace, PlacePlan } from '../files/engine-executions.ts';
import type { InteractiveUI } from '../ui/interactive-ui.ts';

export interface ExecutionParts {
  readonly ui: InteractiveUI;
  readonly executions: EngineExecutions;
  /** Puts a text in front of the next prompt, for the agent alone. */
  readonly addContext: (text: string) => void;
  readonly paint: Paint;
  readonly columns: number;
}

/** Resumes an execution that was chosen. False when the person leaves; throws when it cannot be done. */
export async function resumeExecution(
  parts: ExecutionParts,
  execution: KnownExecution,
): Promise<boolean> {
  const { ui, executions } = parts;
  const places = await executions.places(execution);
  if (places.length === 0) {
    ui.displayWarning(`No step of ${execution.id} has succeeded: there is nothing to restore.`);
    return true;
  }
  const place = await choosePlace(ui, execution, places);
  if (place === null) return false;
  const plan = await executions.plan(execution, place);
  const where = `${execution.id} to ${placeText(place)}`;
  if (!(await agrees(parts, plan, where))) return false;
  const files = await plan.run();
  const state = await executions.stateAt(execution, place);
  ui.displaySuccess(`Restored ${where}`);
  ui.displayBlock(files.map((path) => parts.paint('green', `  rewound  ${displayText(path)}`)));
  if (execution.kind === 'steps') {
    // Nobody but the program can run its steps.
    ui.displayInfo(
      `Its program runs step ${place.index + 1} next, when it is started and opens ${execution.id} again.`,
    );
  }
  const next = `step ${place.index + 1} comes next`;
  parts.addContext(contextText(`The user has restored the execution ${where}; ${next}.`, state));
  ui.displayInfo('The agent is told where it stands with your next prompt.');
  return true;
}

/** Only where there is more than one. */
async function choosePlace(
  ui: InteractiveUI,
  { id }: KnownExecution,
  places: readonly ExecutionPlace[],
): Promise<ExecutionPlace | null> {
  const [only, another] = places;
  if (only === undefined || another === undefined) return only ?? null;
  const items = places.map((place) => ({ id: String(place.index), text: itemText(place) }));
  const chosen = await ui.select(`Restore ${displayText(id)}`, items);
  return places.find(({ index }) => String(index) === chosen) ?? null;
}

function itemText(place: ExecutionPlace): string {
  const to = displayText(placeText(place));
  return place.isLast
    ? `Go on from ${to}\n  What a step left half done is taken back.`
    : `Roll back to ${to}\n  Later steps are taken back, with what they did to files.`;
}

/** A person is asked where files change, or something cannot be undone. */
async function agrees(
  { ui, paint, columns }: ExecutionParts,
  { files, effects }: PlacePlan,
  where: string,
): Promise<boolean> {
  const lines = files === null ? [] : planText(files, paint, columns);
  const lasting = effects.map((one) => paint('red', `  cannot be undone: ${displayText(one)}`));
  if (lines.length + lasting.length === 0) return true;
  ui.displayBlock([...lasting, ...lines]);
  return ui.confirm(`Take ${displayText(where)}?`);
}

function placeText({ index, name }: ExecutionPlace): string {
  return index === -1 ? 'its beginning' : `after step ${index} (${name})`;
}

/** A state can be of any size; the model reads only its beginning. */
const LONGEST = 50_000;

function contextText(head: string, state: ExecutionState | null): string {
  if (state === null) return head;
  const { state: own, context, variables } = state;
  const text = Object.entries({ state: own, context, variables })
    .map(([name, value]) => `${name}: ${inspect(value, SHOWN)}`)
    .join('\n');
  const clipped = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n(cut off here)` : text;
  return `${head} This is where it stood:\n${clipped}`;
}

const SHOWN = {
  depth: null,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: 100,
} as const;
