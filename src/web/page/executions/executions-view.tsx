import { displayText } from '../../../model/display.ts';
import type { ExecutionJson, ExecutionsAnswer } from '../../api.ts';
import { useLive } from '../app/live.ts';
import { useAnswer } from '../app/load.ts';
import { useProject } from '../app/projects.ts';
import { linkTo, type RouteOf } from '../app/routes.ts';
import { counted, shownTime } from '../ui/shown.ts';
import { Either, Empty } from '../ui/states.tsx';
import { ExecutionDetail, StatusChip } from './execution-detail.tsx';

/** Executions of a project at the left, the one that is chosen beside them. */
export function ExecutionsView({ route }: { readonly route: RouteOf<'executions'> }) {
  const { project, execution } = route;
  const loaded = useAnswer<ExecutionsAnswer>(['executions']);
  useLive(({ type }) => type === 'executions' && loaded.again());
  return (
    <>
      <h1>Executions</h1>
      <Either of={loaded} what="the executions">
        {({ executions, damaged }) =>
          executions.length + damaged.length === 0 ? (
            <NoExecutions />
          ) : (
            <div class={execution === undefined ? 'executions' : 'executions chosen'}>
              <nav aria-label="Executions">
                <ul>
                  {executions.map((one) => (
                    <ExecutionRow
                      key={`${one.kind} ${one.id}`}
                      execution={one}
                      isChosen={execution?.id === one.id && execution.kind === one.kind}
                    />
                  ))}
                </ul>
                {damaged.length > 0 && (
                  <p class="bad">
                    {counted(damaged.length, 'execution')} cannot be read:{' '}
                    {damaged.map(displayText).join(', ')}. Type <code>savepoint fsck</code>.
                  </p>
                )}
              </nav>
              {execution === undefined ? (
                <p class="quiet">Choose an execution to see its steps and its state.</p>
              ) : (
                <ExecutionDetail
                  key={`${project} ${execution.kind} ${execution.id}`}
                  {...execution}
                />
              )}
            </div>
          )
        }
      </Either>
    </>
  );
}

function NoExecutions() {
  return (
    <Empty title="No program has run steps in this project">
      <p>
        A program that runs an agent in steps keeps them with <code>savepoint.execution</code>: each
        step happens once, and its files and its state go forward and back as one.
      </p>
    </Empty>
  );
}

function ExecutionRow(props: { readonly execution: ExecutionJson; readonly isChosen: boolean }) {
  const project = useProject();
  const { id, kind, status, done, last, updatedAt, holder } = props.execution;
  return (
    <li>
      <a
        href={linkTo({ view: 'executions', project, execution: { kind, id } })}
        aria-current={props.isChosen ? 'page' : undefined}
      >
        <span class="name">{displayText(id)}</span>
        <StatusChip status={holder === null ? status : 'running'} />
        <span class="quiet">
          {counted(done, 'step')}
          {last === null ? '' : `, last ${displayText(last.name)}`}
        </span>
        <time class="quiet" dateTime={updatedAt}>
          {shownTime(Date.parse(updatedAt))}
        </time>
      </a>
    </li>
  );
}
