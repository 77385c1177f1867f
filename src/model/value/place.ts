import { SavepointError } from '../errors.ts';

/**
 * Where a value is within another: an own key, or a number: of an entry of a list or set, and in a Map the
 * keys and values counted together, in their order.
 */
export type Segment = string | number;

export interface Place {
  readonly parent: Place | null;
  /** The name that the caller gave to the whole, where there is no parent. */
  readonly key: Segment;
  readonly depth: number;
}

/** From the whole value, which is the empty list, down to here. */
export function segmentsOf(place: Place): Segment[] {
  const segments: Segment[] = [];
  for (let at = place; at.parent !== null; at = at.parent) segments.push(at.key);
  return segments.reverse();
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** As one would write it in a program: `state.messages[3]["content-type"]`. */
export function pathText(name: string, segments: readonly Segment[]): string {
  return segments.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return IDENTIFIER.test(segment) ? `${text}.${segment}` : `${text}[${JSON.stringify(segment)}]`;
  }, name);
}

export function placeText(place: Place): string {
  let root = place;
  while (root.parent !== null) root = root.parent;
  return pathText(String(root.key), segmentsOf(place));
}

/** Why a value cannot be stored as it is. */
export function unsupported(place: Place, what: string, cause?: unknown): SavepointError {
  const path = placeText(place);
  return new SavepointError('value-unsupported', `${path} cannot be stored as it is: ${what}`, {
    path,
    hint: 'store plain data, or turn it into plain data first',
    cause,
  });
}
