/** Origins that a minimal diff allows, for each line of a text. */
export type Allowed = readonly ReadonlySet<string>[];

/** A text with its origins; `null` where no file is. */
export interface Text {
  readonly lines: readonly string[];
  readonly allowed: Allowed;
}

export const NOTHING: Text = { lines: [], allowed: [] };

export function linesOf(content: string | null): string[] {
  return content === null || content === '' ? [] : content.split(/(?<=\n)/);
}

export function allOf(lines: readonly string[], origin: string): Text {
  return { lines, allowed: lines.map(() => new Set([origin])) };
}

/** What minimal diffs can make of one line: the lines that it can be, and whether it can be a new one. */
export interface Fate {
  readonly from: readonly number[];
  readonly isNew: boolean;
}

/** All that minimal diffs from `a` to `b` can say about each line of `b`. By a whole table, so for short texts. */
export function fates(a: readonly string[], b: readonly string[]): Fate[] {
  const [n, m] = [a.length, b.length];
  // The longest common subsequence of what comes before (i, j), and of what comes after.
  const head = table(n, m);
  const tail = table(n, m);
  for (let i = 0; i <= n; i += 1) {
    for (let j = 0; j <= m; j += 1) {
      if (i > 0 && j > 0) {
        const both = a[i - 1] === b[j - 1] ? at(head, i - 1, j - 1) + 1 : 0;
        set(head, i, j, Math.max(at(head, i - 1, j), at(head, i, j - 1), both));
      }
    }
  }
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      const both = a[i] === b[j] ? at(tail, i + 1, j + 1) + 1 : 0;
      set(tail, i, j, Math.max(at(tail, i + 1, j), at(tail, i, j + 1), both));
    }
  }
  const most = at(head, n, m);
  return b.map((line, j) => {
    const places = Array.from({ length: n + 1 }, (_, i) => i);
    return {
      from: places.filter(
        (i) => i < n && a[i] === line && at(head, i, j) + 1 + at(tail, i + 1, j + 1) === most,
      ),
      isNew: places.some((i) => at(head, i, j) + at(tail, i, j + 1) === most),
    };
  });
}

/** The origins of `lines` if they came from one of the parents, or else from what `origin` allows for each of them. */
export function descend(
  lines: readonly string[],
  parents: readonly Text[],
  origin: (line: number) => ReadonlySet<string>,
): Text {
  const all = parents.map((parent) => ({ parent, found: fates(parent.lines, lines) }));
  const allowed = lines.map((_, j) => {
    const origins = new Set<string>();
    for (const { parent, found } of all) {
      for (const i of found[j]?.from ?? []) {
        for (const one of parent.allowed[i] ?? []) origins.add(one);
      }
    }
    if (all.every(({ found }) => found[j]?.isNew)) for (const one of origin(j)) origins.add(one);
    return origins;
  });
  return { lines, allowed };
}

/** For each line, what any of the texts allows. All have the same lines. */
export function either(texts: readonly Text[]): Text {
  const lines = texts[0]?.lines ?? [];
  return {
    lines,
    allowed: lines.map((_, j) => new Set(texts.flatMap(({ allowed }) => [...(allowed[j] ?? [])]))),
  };
}

type Table = number[][];

function table(n: number, m: number): Table {
  return Array.from({ length: n + 1 }, () => new Array<number>(m + 1).fill(0));
}

function at(values: Table, i: number, j: number): number {
  return values[i]?.[j] ?? 0;
}

function set(values: Table, i: number, j: number, value: number): void {
  const row = values[i];
  if (row !== undefined) row[j] = value;
}
