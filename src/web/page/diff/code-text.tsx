import type { JSX } from 'preact';
import type { CodeLine } from './highlight.ts';
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
