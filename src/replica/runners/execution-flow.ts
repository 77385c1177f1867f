import { inspect } from 'node:util';
import { displayText, type ExecutionState } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { planText } from '../../terminal/plan-text.ts';
import type {
  AgentExecution,
  EngineExecutions,
  ExecutionPlace,
  PlacePlan,
} from '../files/engine-executions.ts';
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
  execution: AgentExecution,
): Promise<boolean> {
  const { ui, executions } = parts;
  const places = await executions.places(execution);
  if (places.length === 0) {
    ui.displayWarning(`No step of ${execution.id} has succeeded: there is nothing to restore.`);
    return true;
  }
  const place = await choosePlace(ui, execution, places);
  if (place === null) return false;
  const plan = await executions.plan(place);
  if (!(await agrees(parts, plan))) return false;
  const { files, state } = await executions.goBack(plan);
  ui.displaySuccess(`Restored ${execution.id} to ${placeText(place)}`);
  ui.displayBlock(files.map((path) => parts.paint('green', `  rewound  ${displayText(path)}`)));
  if (execution.kind === 'steps') ui.displayInfo(goOnText(place));
  parts.addContext(contextText(place, state));
  ui.displayInfo('The agent is told where it stands with your next prompt.');
  return true;
}

/** Only where there is more than one. */
async function choosePlace(
  ui: InteractiveUI,
  { id }: AgentExecution,
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
  { place, files, effects }: PlacePlan,
): Promise<boolean> {
  const lines = files === null ? [] : planText(files, paint, columns);
  const lasting = effects.map((one) => paint('red', `  cannot be undone: ${displayText(one)}`));
  if (lines.length + lasting.length === 0) return true;
  ui.displayBlock([...lasting, ...lines]);
  return ui.confirm(`Take ${displayText(place.execution.id)} to ${displayText(placeText(place))}?`);
}

function placeText({ index, name }: ExecutionPlace): string {
  return index === -1 ? 'its beginning' : `after step ${index} (${name})`;
}

/** Nobody but the program can run its steps. */
function goOnText({ execution, index }: ExecutionPlace): string {
  return `Its program runs step ${index + 1} next, when it is started and opens ${execution.id} again.`;
}

/** A state can be of any size; the model reads only its beginning. */
const LONGEST = 50_000;

function contextText(place: ExecutionPlace, state: ExecutionState | null): string {
  const { execution, index } = place;
  const head = `The user has restored the execution ${execution.id} to ${placeText(place)}; step ${index + 1} comes next.`;
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
