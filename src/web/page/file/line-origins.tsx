import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Author, WhyAnswer } from '../../api.ts';
import { useProject } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { CodeText, useColours } from '../diff/code-text.tsx';
import { plainLines } from '../diff/highlight.ts';
import { textDiff } from '../diff/text-diff.ts';
import { agentColour, agentName, firstLine, shownTime } from '../ui/shown.ts';

interface OriginsProps {
  readonly answer: WhyAnswer;
  /** To be shown first; from 1. */
  readonly line?: number | undefined;
  /** The change whose lines are marked. */
  readonly marked: number | null;
}

const MOST_LINES = 10_000;

/** Every line of the file as it stands, with the prompt that wrote it. */
export function LineOrigins({ answer, line, marked }: OriginsProps) {
  const { path, now, authors, lines } = answer;
  const { text } = now;
  const shown = useMemo(() => textDiff(text ?? '', '').before.slice(0, MOST_LINES), [text]);
  const plain = useMemo(() => plainLines(shown), [shown]);
  const code = useColours(path, shown)?.before ?? plain;
  const place = useRef<HTMLTableElement>(null);
  useEffect(() => {
    if (line !== undefined)
      place.current?.querySelector(`#line-${line}`)?.scrollIntoView({ block: 'center' });
  }, [line, code]);
  if (text === null)
    return (
      <p class="no-diff">
        {now.why === 'absent'
          ? 'The file is not there now.'
          : 'The file is not text, or too large to be shown.'}
      </p>
    );
  if (shown.length === 0) return <p class="quiet">The file is empty.</p>;
  return (
    <>
      <table class="diff why" ref={place} aria-label="Lines of the file, each with who wrote it">
        <thead class="unseen">
          <tr>
            <th>Who wrote it</th>
            <th>Line</th>
            <th>Text</th>
          </tr>
        </thead>
        {lines.map(({ from, to, seq, author: at }) => {
          const author = authors[at];
          const isMarked = marked !== null && seq === marked;
          const numbered = code.slice(from - 1, to).map((runs, i) => [from + i, runs] as const);
          return (
            <tbody key={from} class="origin" data-marked={isMarked ? '' : undefined}>
              {numbered.map(([number, runs], i) => (
                <tr key={number} id={`line-${number}`} class={number === line ? 'asked' : 'same'}>
                  <td class="author">
                    {author !== undefined &&
                      (i === 0 ? <AuthorName {...author} /> : <span class="unseen">the same</span>)}
                  </td>
                  <td class="number">{number}</td>
                  <td class="code">
                    <CodeText line={runs} />
                  </td>
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
      {shown.length === MOST_LINES && (
        <p class="quiet">Only the first {MOST_LINES.toLocaleString('en')} lines are shown.</p>
      )}
    </>
  );
}

/** Who did something, with a link to the prompt. */
export function AuthorName({ kind, agent, checkpointId, title, at }: Author) {
  const project = useProject();
  const time =
    at === null ? null : <time dateTime={new Date(at).toISOString()}>{shownTime(at)}</time>;
  if (kind !== 'agent' && kind !== 'operation')
    return (
      <span class="who">
        <span class="dot" style={{ background: 'var(--person)' }} />
        {WORDS[kind]} {time}
      </span>
    );
  const name = kind === 'operation' ? 'Rewind' : agentName(agent);
  const what = title === null ? name : firstLine(title, 200);
  return (
    <span class="who">
      <span class="dot" style={{ background: agentColour(kind === 'operation' ? null : agent) }} />
      {checkpointId === null ? (
        <span title={what}>{what}</span>
      ) : (
        <a
          href={linkTo({ view: 'checkpoint', project, id: checkpointId })}
          title={`${name}: ${what}`}
        >
          {what}
        </a>
      )}{' '}
      {time}
    </span>
  );
}

const WORDS = { you: 'You', before: 'Before Savepoint', unknown: 'Nobody knows' } as const;
