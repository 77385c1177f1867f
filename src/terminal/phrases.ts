import { type Coverage, displayText, type ListedCheckpoint } from '../index.ts';

/** "1 file", "2 files". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** "a, b, c and 4 more" */
export function someOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** "512 bytes", "1.4 kB", "20.1 MB" */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return plural(bytes, 'byte');
  const power = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago something was, as people say it; a date after a month. */
export function relativeTime(then: number, now: number): string {
  const seconds = Math.floor((now - then) / 1000);
  // A clock that was set back must not make us speak of the future.
  if (seconds < -MINUTE) return dateOf(then);
  if (seconds < 10) return 'just now';
  if (seconds < MINUTE) return `${seconds} seconds ago`;
  if (seconds < HOUR) return ago(seconds / MINUTE, 'minute');
  if (seconds < DAY) return ago(seconds / HOUR, 'hour');
  if (seconds < 30 * DAY) return ago(seconds / DAY, 'day');
  return dateOf(then);
}

function ago(amount: number, unit: string): string {
  return `${plural(Math.floor(amount), unit)} ago`;
}

function dateOf(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? 'at some time' : date.toISOString().slice(0, 10);
}

/** The time itself, in the time zone of this machine. */
export function exactTime(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return 'at some time';
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

const SHOWN = 8;

/** The beginning of a session's id that names it alone among all of them. */
export function shortSession(id: string, all: readonly string[]): string {
  for (let length = SHOWN; length < id.length; length += 1) {
    const short = id.slice(0, length);
    if (all.every((other) => other === id || !other.startsWith(short))) return short.toWellFormed();
  }
  return id;
}

const CLOSE_ENOUGH = 2;

/** The word that somebody who typed `word` probably meant; null when none is close. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  const nearest = words
    .map((name) => ({ name, distance: distance(word.slice(0, 20), name) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return nearest !== undefined && nearest.distance <= CLOSE_ENOUGH ? nearest.name : null;
}

/** Letters to add, drop or replace on the way from one word to another. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

type Named = Pick<ListedCheckpoint, 'kind' | 'label' | 'description' | 'importedAt' | 'takenBack'>;

/** What lists call a checkpoint: what became of it, its label, and what was asked. Safe to show. */
export function checkpointName(checkpoint: Named): string {
  const { kind, label, description, importedAt, takenBack } = checkpoint;
  const what = label === null || label === description ? description : `[${label}] ${description}`;
  const byHand = kind === 'manual' && description !== BY_HAND ? '(by hand) ' : '';
  const origin = importedAt === null ? '' : '(imported) ';
  return `${FATES[takenBack]}${origin}${byHand}${displayText(what)}`;
}

/** The description of a checkpoint that was made by hand and got no other. */
const BY_HAND = 'made by hand';
const FATES = { no: '', partly: '(partly taken back) ', yes: '(taken back) ' } as const;

/** "3 files"; a checkpoint under which only folders came or went has "1 folder"; "-" for nothing. */
export function filesText({ files, folders }: Pick<ListedCheckpoint, 'files' | 'folders'>): string {
  if (files > 0) return plural(files, 'file');
  return folders > 0 ? plural(folders, 'folder') : '-';
}

/** What is on record at a checkpoint, for people. */
export const COVERAGE: Readonly<Record<Coverage, string>> = {
  named: 'files that tools named',
  scanned: 'the scanned worktree',
  deadline: 'a gap: the scan took too long',
  'too-many-entries': 'a gap: too many files',
  'too-large': 'a gap: too much to copy',
  failed: 'a gap: the scan failed',
  'no-baseline': 'a gap: no first scan yet',
  'server-away': 'a gap: the database server was away',
};

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The message of an error, also of a thrown value that is not an Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same, with what to do about it. */
export function messageAndHint(error: unknown): string {
  const hint = error instanceof Error && 'hint' in error ? error.hint : undefined;
  return messageOf(error) + (typeof hint === 'string' ? ` (${hint})` : '');
}
