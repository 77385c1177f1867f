import { useEffect, useRef, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { ChangedFile, CheckpointAnswer, DiffAnswer } from '../../api.ts';
import { get } from '../app/api-client.ts';
import { useLoaded } from '../app/load.ts';
import { inProject } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { SidesView } from '../diff/side-by-kind.tsx';
import { LineCounts } from '../ui/line-counts.tsx';
import { fromQuery, pathQuery } from '../ui/paths.ts';
import { Either } from '../ui/states.tsx';
import { Sureness } from './sureness.tsx';

interface SectionProps {
  readonly project: string;
  readonly answer: CheckpointAnswer;
  readonly file: ChangedFile;
  /** Loaded at once; others when they come near. */
  readonly isEarly: boolean;
}

/** A diff of this many lines is shown when somebody asks for it. */
const MANY_LINES = 3_000;

/** What became of one file under a checkpoint, and the way back for it alone. */
export function FileSection({ project, answer, file, isEarly }: SectionProps) {
  const place = useRef<HTMLElement>(null);
  const isNear = useNear(place, isEarly);
  const [isOpen, setOpen] = useState(file.insertions + file.deletions <= MANY_LINES);
  const { path, from, status, takenBack } = file;
  const { id } = answer.checkpoint;
  // Without its old name, a renamed file would only be deleted.
  const paths = from === undefined ? [path] : [path, from];
  return (
    <section class="file" ref={place} data-path={path}>
      <div class="file-bar">
        <button
          type="button"
          class="plain fold"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <span class="unseen">Diff of {displayText(path)}</span>
        </button>
        <h3 tabIndex={-1}>
          {from !== undefined && <code class="quiet">{displayText(from)} → </code>}
          <a href={linkTo({ view: 'file', project, path })}>
            <code>{displayText(path)}</code>
          </a>
        </h3>
        <span class={`change ${status}`}>{status}</span>
        <LineCounts {...file} />
        {file.attribution !== 'exact' && <Sureness of={file.attribution} />}
        {file.private && (
          <span class="badge" title="Git ignores this file">
            ignored by git
          </span>
        )}
        {takenBack !== 'no' && (
          <span class="badge taken-back">
            {takenBack === 'yes' ? 'taken back' : 'partly taken back'}
          </span>
        )}
        <span class="space" />
        {takenBack !== 'yes' && (
          <a
            class="button small"
            href={linkTo({ view: 'rewind', project, id, take: 'message', paths })}
          >
            Take back<span class="unseen"> {displayText(path)}</span>
          </a>
        )}
      </div>
      {isOpen ? (
        isNear ? (
          <FileDiff {...{ project, answer, file }} />
        ) : (
          <p class="diff-room" />
        )
      ) : null}
    </section>
  );
}

function FileDiff({ project, answer, file }: Omit<SectionProps, 'isEarly'>) {
  const { checkpoint, pathBytes } = answer;
  const { path, from } = file;
  const [loaded, again] = useLoaded(
    (signal) =>
      get<DiffAnswer>(inProject(project, 'checkpoints', checkpoint.id, 'diff'), {
        query: {
          ...pathQuery(path, pathBytes),
          ...(from === undefined ? {} : fromQuery(from, pathBytes)),
        },
        signal,
      }),
    [project, checkpoint.id, path, from, file.after === null, file.insertions, file.deletions],
  );
  return (
    <Either of={loaded} what="the diff" again={again}>
      {({ before, after }) => (
        <SidesView
          {...{ project, path, before, after }}
          caption={`Changes of ${displayText(path)}`}
        />
      )}
    </Either>
  );
}

/** Whether an element has come near the window once. */
function useNear(place: { readonly current: HTMLElement | null }, isEarly: boolean): boolean {
  const [isNear, setNear] = useState(isEarly);
  useEffect(() => {
    const element = place.current;
    if (isNear || element === null) return;
    const watch = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: '600px' },
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, [isNear]);
  return isNear;
}
