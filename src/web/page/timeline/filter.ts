import type { TimelineQuery } from '../../api.ts';

/** What somebody typed into the filter, in the terms of the server. */
export type Filter = Omit<TimelineQuery, 'limit' | 'before' | 'path'> & { readonly path?: string };

const KINDS: Readonly<Record<string, NonNullable<TimelineQuery['kind']>[number]>> = {
  prompt: 'message',
  message: 'message',
  step: 'step',
  save: 'manual',
  manual: 'manual',
  safety: 'safety',
};

/**
 * Words are looked for in prompts. `path:`, `agent:`, `since:`, `until:`, `kind:` and `session:` say more; a value
 * with spaces stands in quotes.
 */
export function parseFilter(typed: string, now: number = Date.now()): Filter {
  const words: string[] = [];
  const found: { -readonly [Key in keyof Filter]: Filter[Key] } = {};
  for (const [, name, quoted, plain] of typed.matchAll(/(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g)) {
    const value = quoted ?? plain ?? '';
    const kind = KINDS[value.toLowerCase()];
    const day = name === 'since' || name === 'until' ? dayOf(value, now) : null;
    if (name === 'path') found.path = value;
    else if (name === 'agent') found.agent = [...(found.agent ?? []), value];
    else if (name === 'session') found.session = [...(found.session ?? []), value];
    else if (name === 'kind' && kind) found.kind = [...(found.kind ?? []), kind];
    else if (name === 'since' && day) found.since = new Date(day.from).toISOString();
    else if (name === 'until' && day) found.until = new Date(day.to).toISOString();
    // A date that is still being typed filters nothing; another word with a colon is a word.
    else if (name === undefined) words.push(value);
    else if (!/^(since|until|kind)$/.test(name)) words.push(`${name}:${value}`);
  }
  return words.length > 0 ? { ...found, text: words.join(' ') } : found;
}

const DAY = 86_400_000;

/** `today`, `yesterday`, `7d`, `2h` (ago), or a date: the time that it begins and ends. */
function dayOf(value: string, now: number): { from: number; to: number } | null {
  const ago = /^(\d+)([dh])$/.exec(value);
  if (ago !== null) {
    const time = now - Number(ago[1]) * (ago[2] === 'd' ? DAY : DAY / 24);
    return { from: time, to: time };
  }
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (value === 'today') return { from: today, to: today + DAY - 1 };
  if (value === 'yesterday') return { from: today - DAY, to: today - 1 };
  const date = /^\d{4}-\d\d-\d\d$/.test(value) ? new Date(`${value}T00:00`).getTime() : Number.NaN;
  if (!Number.isNaN(date)) return { from: date, to: date + DAY - 1 };
  const moment = /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).getTime() : Number.NaN;
  return Number.isNaN(moment) ? null : { from: moment, to: moment };
}

/** Adds a word to the filter, or takes it away if it is there. */
export function toggled(typed: string, word: string): string {
  const words = typed.split(/\s+/).filter((one) => one !== '');
  const without = words.filter((one) => one !== word);
  return (without.length < words.length ? without : [...words, word]).join(' ');
}
