import { useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { FileAnswer, WhyAnswer } from '../../api.ts';
import { get } from '../app/api-client.ts';
import { useLive } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { inProject } from '../app/projects.ts';
import type { RouteOf } from '../app/routes.ts';
import { counted, shownBytes } from '../ui/shown.ts';
import { Either } from '../ui/states.tsx';
import { FileLife } from './file-life.tsx';
import { LineOrigins } from './line-origins.tsx';

interface FileProps {
  readonly route: RouteOf<'file'>;
}

/** One file: who wrote each of its lines, and its life across agents and people. */
export function FileView({ route }: FileProps) {
  const { project, path, line } = route;
  const [life, lifeAgain] = useLoaded(
    (signal) => get<FileAnswer>(inProject(project, 'file'), { query: { path }, signal }),
    [project, path],
  );
  const [why, whyAgain] = useLoaded(
    (signal) => get<WhyAnswer>(inProject(project, 'why'), { query: { path }, signal }),
    [project, path],
  );
  useLive((event) => {
    if (event.type !== 'changed') return;
    lifeAgain();
    whyAgain();
  });
  const [marked, setMarked] = useState<number | null>(null);
  return (
    <div class="one-file">
      <h1>
        <code>{displayText(path)}</code>
      </h1>
      <Either of={life} what="the history" again={lifeAgain}>
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
                <Either of={why} what="the lines" again={whyAgain}>
                  {(lines) => <LineOrigins {...{ project, line, marked }} answer={lines} />}
                </Either>
              </section>
              <FileLife {...{ project, answer, marked }} mark={setMarked} />
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
