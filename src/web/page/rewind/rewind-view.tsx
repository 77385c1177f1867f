import type { CheckpointAnswer, PlanRequest } from '../../api.ts';
import { useAnswer } from '../app/load.ts';
import { pathRef } from '../app/projects.ts';
import { renamePlace } from '../app/router.ts';
import { linkTo, type RouteOf } from '../app/routes.ts';
import { Segmented } from '../ui/parts.tsx';
import { firstLine } from '../ui/shown.ts';
import { Either } from '../ui/states.tsx';
import { PlanPage } from './plan-page.tsx';

interface RewindProps {
  readonly route: RouteOf<'rewind'>;
}

/** A rewind before it happens. */
export function RewindView({ route }: RewindProps) {
  const loaded = useAnswer<CheckpointAnswer>(['checkpoints', route.id]);
  return (
    <Either of={loaded} what="the checkpoint">
      {(answer) => <Rewind {...{ route, answer }} />}
    </Either>
  );
}

function Rewind({ route, answer }: RewindProps & { readonly answer: CheckpointAnswer }) {
  const { project, id, take = 'since', paths } = route;
  const { checkpoint, pathBytes } = answer;
  const base: PlanRequest = {
    kind: 'rewind',
    to: id,
    ...(take === 'since' ? {} : { take }),
    ...(paths === undefined ? {} : { paths: paths.map((path) => pathRef(path, pathBytes)) }),
  };
  const title = firstLine(checkpoint.description, 160);
  return (
    <PlanPage
      key={linkTo(route)}
      base={base}
      title={take === 'message' ? `Take back: ${title}` : `Rewind to before: ${title}`}
      back={linkTo({ view: 'checkpoint', project, id })}
    >
      <Segmented
        label="How much is taken back"
        options={EXTENTS}
        value={take}
        choose={(value) => renamePlace({ ...route, take: value })}
      />
      {paths !== undefined && (
        <button
          type="button"
          class="plain"
          onClick={() => renamePlace({ view: 'rewind', project, id, take })}
        >
          Show all files
        </button>
      )}
    </PlanPage>
  );
}

const EXTENTS = [
  ['message', 'This prompt alone', 'What later prompts did stays'],
  ['since', 'The session since then', 'All that this session did from this prompt on'],
  ['exact', 'Everything since then', 'The whole project as it was, whoever changed it'],
] as const;

/** An undo before it happens: of an operation, or of the last one. */
export function UndoView({ route: { project, operation } }: { readonly route: RouteOf<'undo'> }) {
  return (
    <PlanPage
      key={`${project} ${operation}`}
      base={{ kind: 'undo', ...(operation === undefined ? {} : { operationId: operation }) }}
      title="Undo"
      back={linkTo({ view: 'timeline', project })}
    />
  );
}
