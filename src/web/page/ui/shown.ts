import { displayText } from '../../../model/display.ts';

const times = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { hourCycle: 'h23', ...options });

export const TIME = times({ hour: '2-digit', minute: '2-digit' });
export const DAY = times({ day: 'numeric', month: 'short' });
const YEAR = times({ day: 'numeric', month: 'short', year: 'numeric' });
const WHOLE = times({ dateStyle: 'medium', timeStyle: 'medium' });
const NUMBER = new Intl.NumberFormat();

/** The time of day for today, the day for this year, the whole date otherwise. */
export function shownTime(time: number, now: number = Date.now()): string {
  const at = new Date(time);
  const today = new Date(now);
  if (at.toDateString() === today.toDateString()) return TIME.format(at);
  if (at.getFullYear() === today.getFullYear()) return `${DAY.format(at)} ${TIME.format(at)}`;
  return YEAR.format(at);
}

export function wholeTime(time: number): string {
  return WHOLE.format(time);
}

export function shownCount(count: number): string {
  return NUMBER.format(count);
}

/** "1 file", "2,000 files". */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${shownCount(count)} ${count === 1 ? one : many}`;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

export function shownBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

export function shownDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One line of a text that may have many: the first that says something. */
export function firstLine(text: string, length = 300): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return displayText(line.trim().slice(0, length));
}

const AGENT_NAMES: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
  copilot: 'Copilot CLI',
  droid: 'Droid',
  cline: 'Cline',
  kilo: 'Kilo Code',
  qwen: 'Qwen Code',
  pi: 'Pi',
  run: 'savepoint run',
};

export function agentName(agent: string | null): string {
  if (agent === null) return 'you';
  return AGENT_NAMES[agent] ?? displayText(agent);
}

const AGENT_COLOURS = 8;

/** One of the colours `--agent-0` to `--agent-7`: the same for an agent on every page. */
export function agentColour(agent: string | null): string {
  if (agent === null || agent === 'run') return 'var(--person)';
  const known = Object.keys(AGENT_NAMES).indexOf(agent);
  const sum = [...agent].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9973, 0);
  return `var(--agent-${(known < 0 ? sum : known) % AGENT_COLOURS})`;
}
