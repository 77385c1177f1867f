import type { CheckpointAnswer, PlanRequest } from '../../api.ts';
import { get } from '../app/api-client.ts';
import { useLoaded } from '../app/load.ts';
import { inProject } from '../app/projects.ts';
import { renamePlace } from '../app/router.ts';
import { linkTo, type RouteOf } from '../app/routes.ts';
import { pathRef } from '../ui/paths.ts';
import { firstLine } from '../ui/shown.ts';
import { Either } from '../ui/states.tsx';
import { PlanPage } from './plan-page.tsx';

interface RewindProps {
  readonly route: RouteOf<'rewind'>;
}

/** A rewind before it happens. */
export function RewindView({ route }: RewindProps) {
  const { project, id } = route;
  const [loaded, again] = useLoaded(
    (signal) =>
      get<CheckpointAnswer>(inProject(project, 'checkpoints', id), {
        signal,
      }),
    [project, id],
  );
  return (
    <Either of={loaded} what="the checkpoint" again={again}>
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
      {...{ project, base }}
      title={take === 'message' ? `Take back: ${title}` : `Rewind to before: ${title}`}
      back={linkTo({ view: 'checkpoint', project, id })}
    >
      <fieldset class="segmented">
        <legend class="unseen">How much is taken back</legend>
        {EXTENTS.map(([value, name, why]) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === take}
            title={why}
            onClick={() => renamePlace({ ...route, take: value })}
          >
            {name}
          </button>
        ))}
      </fieldset>
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
