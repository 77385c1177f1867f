import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import { type LineRange, MAX_BLOB_BYTES, type Side } from '../../api.ts';
import { request } from '../app/api-client.ts';
import { inProject, useProject } from '../app/projects.ts';
import { shownBytes } from '../ui/shown.ts';
import { useDiffStyle } from './diff-style.tsx';
import { DiffTable } from './diff-table.tsx';
import type { Sides } from './text-diff.ts';

interface SidesProps extends Sides<Side> {
  readonly path: string;
  readonly caption: string;
  readonly yours?: readonly LineRange[];
  /** Stands in a narrow place: one below the other. */
  readonly isNarrow?: boolean;
}

/** Two states of a file: as text, as images (an SVG as both), or in words where it is neither. */
export function SidesView(props: SidesProps) {
  const { path, before, after, caption, yours, isNarrow = false } = props;
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
        <div class="image-pair">
          <Picture name={path} side={before} when="before" />
          <Picture name={path} side={after} when="after" />
        </div>
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

function sizeOf({ state }: Side): string {
  if (state === null) return 'nothing';
  return state.type === 'unknown' ? 'not recorded' : shownBytes(state.size);
}

interface PictureProps {
  readonly name: string;
  readonly side: Side;
  readonly when: 'before' | 'after';
}

/** An image. In an `<img>` an SVG runs no script. */
function Picture({ name, side, when }: PictureProps) {
  const url = useImage(side);
  const [size, setSize] = useState('');
  return (
    <figure>
      <figcaption>
        {when === 'before' ? 'Before' : 'After'}: {sizeOf(side)}
        {size === '' ? '' : `, ${size}`}
      </figcaption>
      {url === 'failed' || url === 'too-large' ? (
        <p class="no-diff">
          {url === 'failed' ? 'The image cannot be shown.' : 'Too large to be shown here.'}
        </p>
      ) : (
        url !== null && (
          <img
            src={url}
            alt={`${displayText(name)} ${when}`}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
              setSize(`${width} × ${height} pixels`)
            }
          />
        )
      )}
    </figure>
  );
}

/** The bytes of an image as an address for an `<img>`, which could not send the key with a request of its own. */
function useImage({ state, image, text }: Side): string | null {
  const project = useProject();
  const [url, setUrl] = useState<string | null>(null);
  const isThere = state !== null && state.type !== 'unknown';
  const blob = isThere ? (state.blob ?? null) : null;
  const isTooLarge = isThere && state.size > MAX_BLOB_BYTES;
  useEffect(() => {
    setUrl(isTooLarge ? 'too-large' : null);
    if (image === null || isTooLarge || (blob === null && text === null)) return;
    const control = new AbortController();
    let made: string | undefined;
    const { signal } = control;
    const load = async () => {
      if (text !== null) return new Blob([text], { type: image });
      const address = inProject(project, 'blobs', blob ?? '');
      return (await request(address, { query: { type: image }, signal })).blob();
    };
    load().then(
      (content) => {
        if (signal.aborted) return;
        made = URL.createObjectURL(content);
        setUrl(made);
      },
      () => signal.aborted || setUrl('failed'),
    );
    return () => {
      control.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [project, blob, image, text, isTooLarge]);
  return url;
}
