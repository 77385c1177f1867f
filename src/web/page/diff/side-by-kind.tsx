import type { ComponentChildren } from 'preact';
import type { LineRange, Side } from '../../api.ts';
import { shownBytes } from '../ui/shown.ts';
import { useDiffStyle } from './diff-style.tsx';
import { DiffTable } from './diff-table.tsx';
import { ImagePair } from './image-pair.tsx';

export interface SidesProps {
  readonly project: string;
  readonly path: string;
  readonly before: Side;
  readonly after: Side;
  readonly caption: string;
  readonly yours?: readonly LineRange[];
  /** Stands in a narrow place: one below the other. */
  readonly isNarrow?: boolean;
}

/** Two states of a file: as text, as images (an SVG as both), or in words where it is neither. */
export function SidesView(props: SidesProps) {
  const { project, path, before, after, caption, yours, isNarrow = false } = props;
  const chosen = useDiffStyle();
  const [a, b] = [textOf(before), textOf(after)];
  // A side without a line needs no half of the page.
  const style = isNarrow || a === '' || b === '' ? 'unified' : chosen;
  const mode = modeText(before, after);
  const hasImage = before.image !== null || after.image !== null;
  return (
    <>
      {mode}
      {hasImage && (a === null || a !== b) && (
        <ImagePair {...{ project, before, after }} name={path} />
      )}
      {a !== null && b !== null ? (
        a === b && yours === undefined ? (
          mode === null && <p class="quiet">The content is the same on both sides.</p>
        ) : (
          <DiffTable {...{ path, style, caption, yours }} before={a} after={b} />
        )
      ) : (
        !hasImage && <p class="no-diff">{inWords(before, after)}</p>
      )}
    </>
  );
}

/** Nothing is the empty text, unless the other side is not text. */
function textOf({ text, why }: Side): string | null {
  return why === 'absent' ? '' : text;
}

function modeText(before: Side, after: Side): ComponentChildren {
  const [a, b] = [before.state, after.state];
  if (a === null || b === null || a.type === 'unknown' || b.type === 'unknown') return null;
  if (a.type !== b.type)
    return (
      <p class="quiet">
        Was a {NAMES[a.type]}, is a {NAMES[b.type]}.
      </p>
    );
  if (a.mode === b.mode) return null;
  return (
    <p class="quiet">
      Permissions: {a.mode} → {b.mode}
    </p>
  );
}

const NAMES = { file: 'file', symlink: 'link', directory: 'folder' } as const;

function inWords(before: Side, after: Side): string {
  const lost = [before, after].find(({ why }) => why === 'damaged' || why === 'unknown');
  if (lost?.why === 'damaged') return 'No diff: the recorded content is damaged.';
  if (lost !== undefined) return 'No diff: one side was not recorded.';
  if (before.why === 'folder' || after.why === 'folder') {
    if (before.why === 'absent') return 'A new folder.';
    return after.why === 'absent' ? 'The folder is gone.' : 'A folder.';
  }
  const isLarge = before.why === 'too-large' || after.why === 'too-large';
  return `${isLarge ? 'Too large to be shown here' : 'Not text'}: ${sizeOf(before)} → ${sizeOf(after)}.`;
}

export function sizeOf({ state }: Side): string {
  if (state === null) return 'nothing';
  return state.type === 'unknown' ? 'not recorded' : shownBytes(state.size);
}
