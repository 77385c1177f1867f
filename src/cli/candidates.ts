import type { SavepointError } from '../index.ts';
import { relativeTime } from '../terminal/phrases.ts';

/** One of several things that a shortened id or a label fits. */
export interface Candidate {
  readonly id: string;
  readonly description: string;
  readonly label: string | null;
  readonly createdAt: number;
}

const AMBIGUOUS: readonly string[] = [
  'checkpoint-ambiguous',
  'session-ambiguous',
  'operation-ambiguous',
];

/** Undefined for an error that is about something else. */
export function candidatesOf({ code, details }: SavepointError): Candidate[] | undefined {
  return AMBIGUOUS.includes(code) ? (details as Candidate[]) : undefined;
}

const SHOWN = 100;

export function candidateText(candidate: Candidate, now: number): string {
  const { id, label, createdAt } = candidate;
  const description = candidate.description.slice(0, SHOWN);
  const what = label === null ? description : `[${label.slice(0, SHOWN)}] ${description}`;
  return `${id}  ${relativeTime(createdAt, now)}  ${what}`;
}

export function candidateJson({ id, description, label, createdAt }: Candidate): object {
  return { id, description, label, createdAt: new Date(createdAt).toISOString() };
}
