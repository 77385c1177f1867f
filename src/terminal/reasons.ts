import type { ConflictReason, SkipReason, Uncovered, UnknownReason } from '../index.ts';

type PlainReason = Exclude<SkipReason, `before-unknown-${string}`> | ConflictReason | 'kept';

/** Why a path is left as it is, for people. Every code that a receipt can hold is here. */
const SENTENCES: Record<PlainReason, string> = {
  'overlapping-edits': 'somebody else changed the same lines since',
  'binary-changed': 'somebody else changed it since, and it is not text that could be merged',
  'modify-delete': 'somebody else changed, removed or re-created it since',
  'type-changed': 'it became another kind of entry since (file, folder or link)',
  'mode-changed': 'somebody else changed its permissions since',
  'after-unknown': "what the agent left there was never recorded, so it may be somebody else's now",
  'after-damaged':
    "the record of what the agent left there was damaged, so it may be somebody else's now",
  'current-unknown': 'what is there now cannot be read, so it could not be brought back later',
  blocked: 'a file or folder that has to stay stands in the way',
  'outside-project': 'it lies outside the project; name it to include it',
  'agent-configuration': 'it is configuration of an agent or editor; name it to include it',
  protected: 'it belongs to git or to Savepoint, which is never touched',
  'shared-attribution': 'it is not certain who changed it; --include-shared takes it back too',
  'in-use':
    'a program may be using it; end that program, move the file away (a database with its -wal, -shm and -journal files), and do this again',
  'database-in-use':
    'another file of the same database is still there, and a program may be using it; end that program, move all files of the database away (with -wal, -shm and -journal), and do this again',
  'database-incomplete':
    'another file of the same database cannot come back, and half a database would be damaged',
  'database-in-part':
    'half a database would be damaged; choose the other files of the same database as well',
  'directory-not-empty': 'the folder still holds other things',
  'symlinked-parent': 'a folder on the way to it is a link now',
  'blob-corrupt': 'its recorded content is damaged, and nothing damaged is ever written',
  'blob-missing': 'its recorded content is missing from the store',
  kept: 'it was in conflict, and you chose to keep what is there',
};

const NEVER_RECORDED: Record<UnknownReason, string> = {
  'too-large': 'it was too large to record',
  unreadable: 'it could not be read when it was to be recorded',
  unstable: 'it kept changing while it was to be recorded',
  'not-seen': 'nobody looked at it before it was changed',
  'past-limit': 'its folder held too many entries to record',
  'special-file': 'it is no ordinary file (a pipe, a socket or a device)',
  protected: 'it belongs to git or to Savepoint, which is never recorded',
  purged: 'its recorded content was purged',
  damaged: 'its recorded content was damaged, and is lost',
  excluded: 'the configuration excludes it from being recorded',
};

/** Why a path is not covered, for people. */
export function notCovered(reason: Uncovered['reason']): string {
  if (reason !== 'folder-unreadable') return neverRecorded(reason);
  return 'it or something in it cannot be looked at: no permission, or a path of more than 4,096 bytes';
}

const BEFORE_UNKNOWN = 'before-unknown-';

export function sentenceFor(reason: string): string {
  if (reason.startsWith(BEFORE_UNKNOWN)) {
    return neverRecorded(reason.slice(BEFORE_UNKNOWN.length) as UnknownReason);
  }
  return Object.hasOwn(SENTENCES, reason) ? SENTENCES[reason as PlainReason] : reason;
}

/** Why `materialize` left a path out: it was never recorded, or its content is lost. */
export function sentenceForUnwritten(reason: string): string {
  if (reason === 'folder-missing') return 'the folder that it is in could not be written';
  const known = Object.hasOwn(SENTENCES, reason) && reason !== 'protected';
  return known ? sentenceFor(reason) : neverRecorded(reason as UnknownReason);
}

export function neverRecorded(reason: UnknownReason): string {
  return Object.hasOwn(NEVER_RECORDED, reason) ? NEVER_RECORDED[reason] : reason;
}
