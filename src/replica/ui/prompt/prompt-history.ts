import { type PromptText, promptOf } from './prompt-text.ts';

/** What was submitted, oldest first, and where in it the arrows are. */
export interface PromptHistory {
  readonly texts: readonly string[];
  /** Null while the person's own text is shown. */
  readonly at: number | null;
  /** The person's own text, for when they come back from the history. */
  readonly draft: PromptText | null;
}

export const NO_HISTORY: PromptHistory = { texts: [], at: null, draft: null };

const MOST_KEPT = 500;

export interface Recalled {
  readonly history: PromptHistory;
  readonly prompt: PromptText;
}

export function older(history: PromptHistory, prompt: PromptText): Recalled {
  const at = (history.at ?? history.texts.length) - 1;
  const text = history.texts[at];
  if (text === undefined) return { history, prompt };
  const draft = history.at === null ? prompt : history.draft;
  return { history: { ...history, at, draft }, prompt: promptOf(text) };
}

export function newer(history: PromptHistory, prompt: PromptText): Recalled {
  if (history.at === null) return { history, prompt };
  const at = history.at + 1;
  const text = history.texts[at];
  if (text !== undefined) return { history: { ...history, at }, prompt: promptOf(text) };
  return { history: atDraft(history), prompt: history.draft ?? prompt };
}

/** The text is the person's own from now on. */
export function atDraft(history: PromptHistory): PromptHistory {
  return history.at === null ? history : { ...history, at: null, draft: null };
}

export function remembered({ texts }: PromptHistory, text: string): PromptHistory {
  const kept = texts.at(-1) === text ? texts : [...texts, text].slice(-MOST_KEPT);
  return { texts: kept, at: null, draft: null };
}
