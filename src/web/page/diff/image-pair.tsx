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
  const url = useImage(project, side);
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

/** The server sends no more. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The bytes of an image as an address for an `<img>`, which could not send the key with a request of its own. */
function useImage(project: string, { state, image, text }: Side): string | null {
  const [url, setUrl] = useState<string | null>(null);
  const isThere = state !== null && state.type !== 'unknown';
  const blob = isThere ? (state.blob ?? null) : null;
  const isTooLarge = isThere && state.size > MOST_BYTES;
  useEffect(() => {
    setUrl(isTooLarge ? 'too-large' : null);
    if (image === null || isTooLarge || (blob === null && text === null)) return;
    const control = new AbortController();
    let made: string | undefined;
    const bytes =
      text === null
        ? imageOnRecord(project, blob ?? '', image, control.signal)
        : Promise.resolve(new Blob([text], { type: image }));
    bytes.then(
      (content) => {
        if (control.signal.aborted) return;
        made = URL.createObjectURL(content);
        setUrl(made);
      },
      () => control.signal.aborted || setUrl('failed'),
    );
    return () => {
      control.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [project, blob, image, text, isTooLarge]);
  return url;
}

async function imageOnRecord(
  project: string,
  blob: string,
  type: string,
  signal: AbortSignal,
): Promise<Blob> {
  return (
    await request('GET', inProject(project, 'blobs', blob), { query: { type }, signal })
  ).blob();
}
