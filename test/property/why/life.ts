import { type Allowed, allOf, descend, either, linesOf, NOTHING, type Text } from './allowed.ts';

/** A state of a file that is on record. */
export interface Recorded extends Text {
  /** Null where nothing was there. */
  readonly content: string | null;
  /** When it was recorded: the number of the act. */
  readonly act: number;
  /** The session whose work it is, and the message; null for a person, an operation, and the first state. */
  readonly session: string | null;
  readonly message: string | null;
  readonly by: 'agent' | 'outside' | 'operation' | 'start';
}

/** What an act found: the new contents of paths, all at once. */
export interface Found {
  readonly act: number;
  readonly by: 'agent' | 'outside';
  /** The name of the author, as `why` would say it. */
  readonly origin: string;
  readonly session?: string | null;
  readonly message?: string | null;
  readonly contents: ReadonlyMap<string, string | null>;
}

/** The states of all files that are on record, with the origins that each line may have. */
export class Lives {
  readonly #lives = new Map<string, Recorded[]>();
  /** After the first scan, a file that is not on record was not there. */
  isScanned = false;

  get paths(): string[] {
    return [...this.#lives.keys()];
  }

  of(path: string): readonly Recorded[] {
    return this.#lives.get(path) ?? [];
  }

  last(path: string): Recorded | undefined {
    return this.#lives.get(path)?.at(-1);
  }

  contentOf(path: string): string | null {
    return this.last(path)?.content ?? null;
  }

  /** The first look at a path that nobody has looked at before. */
  begin(path: string, content: string | null, act: number): void {
    this.#push(path, {
      ...(content === null ? NOTHING : allOf(linesOf(content), 'before')),
      content,
      act,
      session: null,
      message: null,
      by: 'start',
    });
  }

  /** One act of somebody, whose changes belong together: renames are looked for among them. */
  record({ act, by, origin, session = null, message = null, contents }: Found): void {
    const changed = [...contents].filter(([path, content]) => this.contentOf(path) !== content);
    const gone = changed.flatMap(([path, content]) => {
      const last = this.last(path);
      return content === null && last !== undefined ? [last] : [];
    });
    const made = changed.flatMap(([path, content]) =>
      content !== null && this.contentOf(path) === null ? [content] : [],
    );
    const next = changed.map(([path, content]) => {
      const text = this.#textOf(path, content, { origin, gone, made });
      return { path, state: { ...text, content, act, session, message, by } };
    });
    for (const { path, state } of next) this.#push(path, state);
  }

  #textOf(path: string, content: string | null, group: Group): Text {
    if (content === null) return NOTHING;
    const lines = linesOf(content);
    const last = this.last(path);
    const own = new Set([group.origin]);
    if (last !== undefined && last.content !== null) return descend(lines, [last], () => own);
    return renamed(lines, content, group);
  }

  /**
   * An operation has put these contents there. It took back the states for which `isTaken` holds: the state before
   * each of those may have come back, and lines of the state that it found may have stayed.
   */
  operate(
    act: number,
    contents: ReadonlyMap<string, string | null>,
    isTaken: (state: Recorded) => boolean,
  ): void {
    for (const [path, content] of contents) {
      const states = this.of(path);
      if (this.contentOf(path) === content) continue;
      const restored = states.filter((_, i) => {
        const next = states[i + 1];
        return next !== undefined && isTaken(next);
      });
      const text = content === null ? NOTHING : restoredText(content, restored, states);
      const state = { ...text, content, act, session: null, message: null } as const;
      this.#push(path, { ...state, by: 'operation' });
    }
  }

  #push(path: string, state: Recorded): void {
    const life = this.#lives.get(path);
    if (life === undefined) this.#lives.set(path, [state]);
    else life.push(state);
  }

  /** The origins that the lines on disk may have. */
  expected(path: string, content: string): Allowed {
    const last = this.last(path);
    const lines = linesOf(content);
    if (last === undefined) return allOf(lines, 'unrecorded').allowed;
    return descend(lines, [last], () => new Set(['unrecorded'])).allowed;
  }
}

interface Group {
  readonly origin: string;
  /** States that ended in the same act, and contents that appeared at names where nothing was. */
  readonly gone: readonly Recorded[];
  readonly made: readonly string[];
}

function restoredText(
  content: string,
  restored: readonly Recorded[],
  states: readonly Recorded[],
): Text {
  const same = restored.filter((state) => state.content === content);
  if (same.length > 0) return either(same);
  const lines = linesOf(content);
  const older = descend(lines, states, () => new Set(['operation']));
  const last = states.at(-1);
  return descend(
    lines,
    last === undefined ? restored : [...restored, last],
    (line) => older.allowed[line] ?? new Set(),
  );
}

/** A file that appeared is a file that went in the same act, if they have at least half of their text in common. */
function renamed(lines: readonly string[], content: string, group: Group): Text {
  const own = new Set([group.origin]);
  const fresh = allOf(lines, group.origin);
  const same = group.gone.filter((state) => content !== '' && state.content === content);
  if (same.length > 0) {
    const rivals = group.made.filter((other) => other === content).length;
    return either(rivals > same.length ? [...same, fresh] : same);
  }
  const alike = group.gone.filter((state) => share(state.lines, lines) >= 0.5);
  if (alike.length === 0) return fresh;
  const texts = alike.map((state) => descend(lines, [state], () => own));
  // A file whose whole content went elsewhere is that one, and need not be this one as well.
  const isTaken = alike.every(({ content: old }) => group.made.includes(old ?? ''));
  return either(isTaken ? [...texts, fresh] : texts);
}

/** How much of two texts is common, in characters. */
function share(a: readonly string[], b: readonly string[]): number {
  const rest = [...b];
  let common = 0;
  for (const line of a) {
    const place = rest.indexOf(line);
    if (place === -1) continue;
    rest.splice(place, 1);
    common += line.length;
  }
  return common / Math.max(a.join('').length, b.join('').length, 1);
}
