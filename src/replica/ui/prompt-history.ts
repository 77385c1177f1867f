import { searchable } from '../../terminal/interactive/chooser.ts';
import { recalled, type TextField, textOf } from '../../terminal/interactive/text-field.ts';

/** What was sent in a project, by this process and by others. */
export interface PromptMemory {
  /** Oldest first. */
  texts(): readonly string[];
  add(text: string): void;
}

/** What was sent in this project, oldest first, and where in it the arrows are. */
export interface PromptHistory {
  readonly texts: readonly string[];
  /** Null while the person's own text is shown. */
  readonly at: number | null;
  /** The person's own text, for when they come back from the history. */
  readonly draft: TextField | null;
}

export const NO_HISTORY: PromptHistory = { texts: [], at: null, draft: null };

const MOST_KEPT = 1_000;

export interface Recalled {
  readonly history: PromptHistory;
  readonly field: TextField;
}

export function older(history: PromptHistory, field: TextField): Recalled {
  const at = (history.at ?? history.texts.length) - 1;
  const text = history.texts[at];
  if (text === undefined) return { history, field };
  const draft = history.at === null ? field : history.draft;
  return { history: { ...history, at, draft }, field: recalled(field, text) };
}

export function newer(history: PromptHistory, field: TextField): Recalled {
  if (history.at === null) return { history, field };
  const at = history.at + 1;
  const text = history.texts[at];
  if (text !== undefined) return { history: { ...history, at }, field: recalled(field, text) };
  return { history: atDraft(history), field: history.draft ?? field };
}

/** The text is the person's own from now on. */
export function atDraft(history: PromptHistory): PromptHistory {
  return history.at === null ? history : { ...history, at: null, draft: null };
}

export function remembered({ texts }: PromptHistory, text: string): PromptHistory {
  const isNew = isToKeep(text) && texts.at(-1) !== text;
  return { texts: isNew ? [...texts, text].slice(-MOST_KEPT) : texts, at: null, draft: null };
}

/** As in a shell: a text that begins with a blank is sent, and not kept. */
export function isToKeep(text: string): boolean {
  return !/^\s/.test(text);
}

/** A search backwards through the history (Ctrl-R). */
export interface HistorySearch {
  readonly query: TextField;
  /** Which of the texts is shown; null while none is. */
  readonly at: number | null;
  /** The person's own text, for when they leave. */
  readonly draft: TextField;
}

/**
 * The next text in a direction that holds the query and is another one than what is shown; null where there
 * is none. `from` is the last place that does not count.
 */
export function found(
  { texts }: PromptHistory,
  query: TextField,
  { from, step }: { readonly from: number; readonly step: -1 | 1 },
): number | null {
  const wanted = searchable(textOf(query));
  const shown = texts[from];
  for (let at = from + step; at >= 0 && at < texts.length; at += step) {
    const text = texts[at] ?? '';
    if (text !== shown && searchable(text).includes(wanted)) return at;
  }
  return null;
}
