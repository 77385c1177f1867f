import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type CodeLine, highlighterFor, plainLines } from './highlight.ts';
import type { Sides } from './text-diff.ts';
import type { Range } from './word-marks.ts';

interface CodeTextProps {
  readonly line: CodeLine;
  readonly marks?: readonly Range[] | undefined;
}

/** One line of code in colours, with the words that differ marked. */
export function CodeText({ line, marks = [] }: CodeTextProps) {
  const pieces: (string | JSX.Element)[] = [];
  let at = 0;
  for (const { text, scope } of line) {
    const color = scope === null ? undefined : `hl-${scope}`;
    for (const [piece, isMarked] of cut(text, at, marks)) {
      if (isMarked) pieces.push(<mark class={color}>{piece}</mark>);
      else if (color === undefined) pieces.push(piece);
      else pieces.push(<span class={color}>{piece}</span>);
    }
    at += text.length;
  }
  return <>{pieces}</>;
}

/** The parts of a text that begins at a place of its line, each within or outside of the marks. */
function cut(text: string, at: number, marks: readonly Range[]): [string, boolean][] {
  const parts: [string, boolean][] = [];
  let done = 0;
  for (const [start, end] of marks) {
    const from = Math.max(done, start - at);
    const to = Math.min(text.length, end - at);
    if (to <= from) continue;
    if (from > done) parts.push([text.slice(done, from), false]);
    parts.push([text.slice(from, to), true]);
    done = to;
  }
  if (done < text.length) parts.push([text.slice(done), false]);
  return parts;
}

type Lines = readonly string[];
const NO_LINES: Lines = [];

/** The lines of two texts in colours. Null until they are there: to draw a long diff twice would take longer. */
export function useColours(
  path: string,
  before: Lines,
  after: Lines = NO_LINES,
): Sides<readonly CodeLine[]> | null {
  const [coloured, setColoured] = useState<{
    of: Sides<Lines>;
    code: Sides<readonly CodeLine[]>;
  }>();
  useEffect(() => {
    let isGone = false;
    const show = (colour: typeof plainLines) => {
      if (isGone) return;
      const code = { before: colour(before), after: colour(after) };
      setColoured({ of: { before, after }, code });
    };
    highlighterFor(path).then(show, () => show(plainLines));
    return () => {
      isGone = true;
    };
  }, [path, before, after]);
  const isOfThese = coloured?.of.before === before && coloured.of.after === after;
  return isOfThese ? coloured.code : null;
}
