import { useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { FileAnswer, FileEvent } from '../../api.ts';
import { useLoaded } from '../app/load.ts';
import { linkTo } from '../app/routes.ts';
import { Sureness } from '../checkpoint/sureness.tsx';
import { SidesView } from '../diff/side-by-kind.tsx';
import { sideOf } from '../diff/side-of-blob.ts';
import { LineCounts } from '../ui/line-counts.tsx';
import { agentName, counted, wholeTime } from '../ui/shown.ts';
import { Either, Empty } from '../ui/states.tsx';
import { AuthorName } from './line-origins.tsx';

interface LifeProps {
  readonly project: string;
  readonly answer: FileAnswer;
  readonly marked: number | null;
  /** Marks the lines of a change. */
  readonly mark: (seq: number | null) => void;
}

const SHOWN = 100;

/** Every change of a file, newest first, with its diff and the way back. */
export function FileLife({ project, answer, marked, mark }: LifeProps) {
  const [most, setMost] = useState(SHOWN);
  const { events } = answer;
  return (
    <section class="life" aria-labelledby="life-heading">
      <h2 id="life-heading">Its life</h2>
      {events.length === 0 && <Empty title="No change of this file is on record." />}
      <ol>
        {events.slice(0, most).map((event) => (
          <Event
            key={event.seq}
            {...{ project, event, answer, mark }}
            isMarked={marked === event.seq}
          />
        ))}
      </ol>
      {events.length > most && (
        <button type="button" onClick={() => setMost(most + 10 * SHOWN)}>
          Show {counted(events.length - most, 'earlier change')}
        </button>
      )}
    </section>
  );
}

interface EventProps {
  readonly project: string;
  readonly event: FileEvent;
  readonly answer: FileAnswer;
  readonly isMarked: boolean;
  readonly mark: LifeProps['mark'];
}

function Event({ project, event, answer, isMarked, mark }: EventProps) {
  const { change, author, at, path, takenBack, attribution, origin } = event;
  const name = displayText(path);
  return (
    <li class={takenBack ? 'gone' : undefined}>
      <p class="meta">
        <AuthorName {...{ project, author }} />
      </p>
      <p class="meta quiet" title={wholeTime(at)}>
        {origin !== 'outside' && author.kind === 'agent' && <span>{agentName(author.agent)}</span>}
        <span class={`change ${change}`}>{change}</span>
        <LineCounts {...event} />
        {attribution !== 'exact' && origin !== 'outside' && <Sureness of={attribution} />}
        {takenBack && <span class="badge taken-back">taken back</span>}
        {path !== answer.path && <code>{name}</code>}
      </p>
      <p class="meta">
        <button
          type="button"
          class="plain small"
          aria-expanded={isMarked}
          onClick={() => mark(isMarked ? null : event.seq)}
        >
          {isMarked ? 'Hide' : 'Show'} the change
        </button>
        {author.kind === 'agent' && author.checkpointId !== null && !takenBack && (
          <a
            class="button plain small"
            href={linkTo({
              view: 'rewind',
              project,
              id: author.checkpointId,
              take: 'message',
              paths: namesUnder(author.checkpointId, answer.events),
            })}
          >
            Take back
          </a>
        )}
      </p>
      {isMarked && <EventDiff {...{ project, event }} />}
    </li>
  );
}

/** The names that the file had under a checkpoint: a rename goes back only with both of them. */
function namesUnder(checkpoint: string, events: readonly FileEvent[]): string[] {
  const own = events.filter(({ author }) => author.checkpointId === checkpoint);
  return [
    ...new Set(own.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))),
  ];
}

function EventDiff({ project, event }: Pick<EventProps, 'project' | 'event'>) {
  const { seq, path, before, after } = event;
  const [loaded, again] = useLoaded(
    (signal) => Promise.all([before, after].map((state) => sideOf(project, path, state, signal))),
    [project, seq],
  );
  return (
    <Either of={loaded} what="the diff" again={again}>
      {([one, other]) =>
        one !== undefined &&
        other !== undefined && (
          <SidesView
            {...{ project, path }}
            before={one}
            after={other}
            caption={`A change of ${displayText(path)}`}
            isNarrow
          />
        )
      }
    </Either>
  );
}
