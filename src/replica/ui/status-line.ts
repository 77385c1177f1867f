import { displayText } from '../../index.ts';
import { textWidth } from '../../terminal/text-width.ts';

/** What stands below the input. What nobody has told yet is null, and left out. */
export interface StatusShown {
  /** The project, as a person would write its path. */
  readonly folder: string;
  /** What is checked out in it. */
  readonly branch: string | null;
  /** What model answers. */
  readonly model: string;
  readonly permissionMode: string;
  readonly context: { readonly tokens: number; readonly window: number } | null;
  /** Of the whole conversation, as the SDK estimates it. */
  readonly costUSD: number | null;
  /**
   * What Esc Esc takes back: the changes of the last prompt, such as "2 files +3 -1", null where there are none to
   * tell of. Null where there is no way back.
   */
  readonly wayBack: { readonly changes: string | null } | null;
}

interface Part {
  readonly text: string;
  /** The same in fewer words. */
  readonly short?: string;
  /** Where there is too little room, the parts with the least go first. */
  readonly weight: number;
}

const SEPARATOR = ' · ';

/** The status in so many columns: first in fewer words, then without what matters less. */
export function statusText(status: StatusShown, columns: number): string {
  let parts = partsOf(status);
  const lightest = parts.map(({ weight }) => weight).sort((a, b) => a - b);
  for (const least of lightest) {
    if (fits(parts, columns)) break;
    parts = parts.map((one) =>
      one.weight === least ? { ...one, text: one.short ?? one.text } : one,
    );
  }
  const kept = keptOf(parts, columns);
  return joined(parts.filter((part) => kept.has(part)));
}

/** From the heaviest on, each that still fits beside those. */
function keptOf(parts: readonly Part[], columns: number): ReadonlySet<Part> {
  const kept: Part[] = [];
  for (const part of parts.toSorted((a, b) => b.weight - a.weight)) {
    if (kept.length === 0 || fits([...kept, part], columns)) kept.push(part);
  }
  return new Set(kept);
}

function fits(parts: readonly Part[], columns: number): boolean {
  return textWidth(joined(parts)) <= columns;
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join(SEPARATOR);
}

const MODES: Readonly<Record<string, string>> = {
  default: 'asks first',
  acceptEdits: 'edits pass',
  plan: 'plans only',
  bypassPermissions: 'asks nothing',
};

/** In the order in which they are shown; each weight is there once. */
function partsOf(status: StatusShown): Part[] {
  const { folder, branch, model, permissionMode, context, costUSD, wayBack } = status;
  const name = folder.slice(folder.lastIndexOf('/') + 1) || folder;
  const mode = MODES[permissionMode] ?? displayText(permissionMode);
  const used = context === null ? null : percentOf(context);
  const parts: (Part | null)[] = [
    { text: displayText(folder), short: displayText(name), weight: 2 },
    branch === null ? null : { text: displayText(branch), weight: 3 },
    { text: displayText(model), short: shortModel(displayText(model)), weight: 4 },
    { text: `${mode} (Shift-Tab)`, short: mode, weight: 6 },
    used === null ? null : { text: `${used} of context`, short: `${used} context`, weight: 7 },
    costUSD === null ? null : { text: `$${costUSD.toFixed(2)}`, weight: 5 },
    wayBack && { text: ['Esc Esc rewinds', wayBack.changes ?? ''].join(' ').trim(), weight: 8 },
    { text: '? for keys', weight: 1 },
  ];
  return parts.filter((part) => part !== null);
}

/** "claude-sonnet-4-5-20250929" is "sonnet-4-5" to people; the demonstration model says less of itself. */
function shortModel(model: string): string {
  return model
    .replace(/^claude-/, '')
    .replace(/-\d{8}$/, '')
    .replace(/, offline$/, '');
}

function percentOf({ tokens, window }: NonNullable<StatusShown['context']>): string {
  return `${Math.min(100, Math.round((tokens / window) * 100))}%`;
}
