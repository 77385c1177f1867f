import { useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { FileAnswer, WhyAnswer } from '../../api.ts';
import { useLive } from '../app/live.ts';
import { useAnswer } from '../app/load.ts';
import type { RouteOf } from '../app/routes.ts';
import { counted, shownBytes } from '../ui/shown.ts';
import { Either } from '../ui/states.tsx';
import { FileLife } from './file-life.tsx';
import { LineOrigins } from './line-origins.tsx';

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
