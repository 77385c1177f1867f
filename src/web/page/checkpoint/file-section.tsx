import { useEffect, useRef, useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { ChangedFile, CheckpointAnswer, DiffAnswer } from '../../api.ts';
import { useAnswer } from '../app/load.ts';
import { pathQuery, useProject } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { SidesView } from '../diff/side-by-kind.tsx';
import { Fold, LineCounts, Sureness, TakenBack } from '../ui/parts.tsx';
import { Either } from '../ui/states.tsx';

interface SectionProps {
  readonly answer: CheckpointAnswer;
  readonly file: ChangedFile;
  /** Loaded at once; others when they come near. */
  readonly isEarly: boolean;
}

/** A diff of this many lines is shown when somebody asks for it. */
const MANY_LINES = 3_000;

/** What became of one file under a checkpoint, and the way back for it alone. */
export function FileSection({ answer, file, isEarly }: SectionProps) {
  const project = useProject();
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
        <Fold {...{ isOpen, setOpen }}>Diff of {displayText(path)}</Fold>
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
        <TakenBack of={takenBack} />
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
      {isOpen && (isNear ? <FileDiff {...{ answer, file }} /> : <p class="diff-room" />)}
    </section>
  );
}

function FileDiff({ answer, file }: Omit<SectionProps, 'isEarly'>) {
  const { checkpoint, pathBytes } = answer;
  const { path, from, after, insertions, deletions } = file;
  const loaded = useAnswer<DiffAnswer>(['checkpoints', checkpoint.id, 'diff'], {
    query: {
      ...pathQuery('path', path, pathBytes),
      ...(from === undefined ? {} : pathQuery('from', from, pathBytes)),
    },
    about: [after === null, insertions, deletions],
  });
  return (
    <Either of={loaded} what="the diff">
      {(sides) => <SidesView {...sides} path={path} caption={`Changes of ${displayText(path)}`} />}
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
