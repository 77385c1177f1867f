import { useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { DiffAnswer, FileAnswer, FileEvent, WhyAnswer } from '../../api.ts';
import { useLive } from '../app/live.ts';
import { useAnswer } from '../app/load.ts';
import { pathQuery, useProject } from '../app/projects.ts';
import { linkTo, type RouteOf } from '../app/routes.ts';
import { SidesView } from '../diff/side-by-kind.tsx';
import { LineCounts, Sureness, TakenBack, useSome } from '../ui/parts.tsx';
import { agentName, counted, shownBytes, wholeTime } from '../ui/shown.ts';
import { Either, Empty } from '../ui/states.tsx';
import { AuthorName, LineOrigins } from './line-origins.tsx';

/** One file: who wrote each of its lines, and its life across agents and people. */
export function FileView({ route: { path, line } }: { readonly route: RouteOf<'file'> }) {
  const life = useAnswer<FileAnswer>(['file'], { query: { path } });
  const why = useAnswer<WhyAnswer>(['why'], { query: { path } });
  useLive(({ type }) => {
    if (type === 'changed') for (const part of [life, why]) part.again();
  });
  const [marked, setMarked] = useState<number | null>(null);
  return (
    <div class="one-file">
      <h1>
        <code>{displayText(path)}</code>
      </h1>
      <Either of={life} what="the history">
        {(answer) => (
          <>
            <p class="meta quiet">
              {stateText(answer)}
              {answer.earlierNames.length > 0 &&
                ` · earlier names: ${answer.earlierNames.map(displayText).join(', ')}`}
              {answer.private && ' · ignored by git'}
              {` · ${counted(answer.events.length, 'change')} on record`}
            </p>
            <div class="file-parts">
              <section class="origins" aria-labelledby="origins-heading">
                <h2 id="origins-heading">Who wrote each line</h2>
                <Either of={why} what="the lines">
                  {(lines) => <LineOrigins {...{ line, marked }} answer={lines} />}
                </Either>
              </section>
              <FileLife {...{ answer, marked }} mark={setMarked} />
            </div>
          </>
        )}
      </Either>
    </div>
  );
}

function stateText({ now }: FileAnswer): string {
  if (now === null) return 'Not there now';
  if (now.type === 'unknown') return 'Cannot be read now';
  return now.type === 'file'
    ? shownBytes(now.size)
    : { symlink: 'A link', directory: 'A folder' }[now.type];
}

interface LifeProps {
  readonly answer: FileAnswer;
  readonly marked: number | null;
  /** Marks the lines of a change. */
  readonly mark: (seq: number | null) => void;
}

const SHOWN = 100;

/** Every change of a file, newest first, with its diff and the way back. */
function FileLife({ answer, marked, mark }: LifeProps) {
  const [events, earlier] = useSome(answer.events, SHOWN, 10 * SHOWN, 'earlier change');
  return (
    <section class="life" aria-labelledby="life-heading">
      <h2 id="life-heading">Its life</h2>
      {events.length === 0 && <Empty title="No change of this file is on record." />}
      <ol>
        {events.map((event) => (
          <Event key={event.seq} {...{ event, answer, mark }} isMarked={marked === event.seq} />
        ))}
      </ol>
      {earlier}
    </section>
  );
}

interface EventProps extends Omit<LifeProps, 'marked'> {
  readonly event: FileEvent;
  readonly isMarked: boolean;
}

function Event({ event, answer, isMarked, mark }: EventProps) {
  const project = useProject();
  const { change, author, at, path, takenBack, attribution, origin } = event;
  const name = displayText(path);
  return (
    <li class={takenBack ? 'gone' : undefined}>
      <p class="meta">
        <AuthorName {...author} />
      </p>
      <p class="meta quiet" title={wholeTime(at)}>
        {origin !== 'outside' && author.kind === 'agent' && <span>{agentName(author.agent)}</span>}
        <span class={`change ${change}`}>{change}</span>
        <LineCounts {...event} />
        {attribution !== 'exact' && origin !== 'outside' && <Sureness of={attribution} />}
        <TakenBack of={takenBack ? 'yes' : 'no'} />
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
      {isMarked && <EventDiff {...{ event, answer }} />}
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

function EventDiff({ event, answer }: Pick<EventProps, 'event' | 'answer'>) {
  const { seq, path } = event;
  const loaded = useAnswer<DiffAnswer>(['changes', seq, 'diff'], {
    query: pathQuery('path', path, answer.pathBytes),
  });
  return (
    <Either of={loaded} what="the diff">
      {(sides) => (
        <SidesView {...sides} path={path} caption={`A change of ${displayText(path)}`} isNarrow />
      )}
    </Either>
  );
}
