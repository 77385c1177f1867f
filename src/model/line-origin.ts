import { UNKNOWN_REASONS, type UnknownReason } from './state.ts';

/**
 * Who wrote a line. `agent`: a tool call or a command of a session. `outside`: a person, or a program that nobody
 * recorded. `operation`: a person, who resolved a conflict of a rewind. `unrecorded`: somebody, since the file was
 * recorded last. `before`: it was in the file when the record of the file began. `unknown`: nobody can tell.
 */
export type LineOriginKind = (typeof LINE_ORIGINS)[number];

export const LINE_ORIGINS = [
  'agent',
  'outside',
  'operation',
  'unrecorded',
  'before',
  'unknown',
] as const;

/** Why nobody can tell who wrote a line: the content at some moment is unknown, or changes are not kept. */
export type Gap = UnknownReason | 'not-kept';

export const GAPS: readonly Gap[] = [...UNKNOWN_REASONS, 'not-kept'];

/** What a change did to a file. `running`: its tool has not been seen to end. */
export type FileChangeKind = (typeof FILE_CHANGE_KINDS)[number];

export const FILE_CHANGE_KINDS = ['created', 'modified', 'deleted', 'renamed', 'running'] as const;
