import { useEffect, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { Side } from '../../api.ts';
import { request } from '../app/api-client.ts';
import { inProject } from '../app/projects.ts';
import { sizeOf } from './side-by-kind.tsx';

interface PairProps {
  readonly project: string;
  readonly name: string;
  readonly before: Side;
  readonly after: Side;
}

/** An image before and after. In an `<img>` an SVG runs no script. */
export function ImagePair({ project, name, before, after }: PairProps) {
  return (
    <div class="image-pair">
      <Picture {...{ project, name }} side={before} when="before" />
      <Picture {...{ project, name }} side={after} when="after" />
    </div>
  );
}

interface PictureProps {
  readonly project: string;
  readonly name: string;
  readonly side: Side;
  readonly when: 'before' | 'after';
}

function Picture({ project, name, side, when }: PictureProps) {
  const { state, image } = side;
  const blob = state !== null && state.type !== 'unknown' ? (state.blob ?? null) : null;
  const url = useImage(project, blob, image);
  const [size, setSize] = useState('');
  return (
    <figure>
      <figcaption>
        {when === 'before' ? 'Before' : 'After'}: {sizeOf(side)}
        {size === '' ? '' : `, ${size}`}
      </figcaption>
      {url === 'failed' ? (
        <p class="no-diff">The image cannot be shown.</p>
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

/** Its bytes come with the key, which an `<img>` could not send. */
function useImage(project: string, blob: string | null, type: string | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    setUrl(null);
    if (blob === null || type === null) return;
    const control = new AbortController();
    let made: string | undefined;
    request('GET', inProject(project, 'blobs', blob), {
      query: { type },
      signal: control.signal,
    })
      .then((response) => response.blob())
      .then(
        (bytes) => {
          if (control.signal.aborted) return;
          made = URL.createObjectURL(bytes);
          setUrl(made);
        },
        () => control.signal.aborted || setUrl('failed'),
      );
    return () => {
      control.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [project, blob, type]);
  return url;
}
