import { displayText } from '../../../model/display.ts';
import type { ProjectJson, StoreAnswer } from '../../api.ts';
import { get } from '../app/api-client.ts';
import { useLoaded } from '../app/load.ts';
import { inProject, projects } from '../app/projects.ts';
import { linkTo, type RouteOf } from '../app/routes.ts';
import { Table } from '../ui/parts.tsx';
import { shownBytes, shownCount, shownTime } from '../ui/shown.ts';
import { Either, Empty, Loading } from '../ui/states.tsx';
import { ProjectStore } from './project-store.tsx';

/** Disk, health and settings: of all projects, or of one. */
export function StoreView({ route }: { readonly route: RouteOf<'store'> }) {
  const answer = projects.value;
  if (answer === null) return <Loading what="the projects" />;
  if (route.project !== undefined) return <ProjectStore key={route.project} />;
  return <AllStores all={answer.projects} home={answer.home} />;
}

interface Measured {
  readonly project: ProjectJson;
  /** Null where the store cannot be opened. */
  readonly store: StoreAnswer | null;
}

function AllStores({ all, home }: { readonly all: readonly ProjectJson[]; readonly home: string }) {
  const loaded = useLoaded(
    async (signal) => {
      const measured: Measured[] = [];
      // One after the other: each is a store of its own to open.
      for (const project of all) {
        const store = await get<StoreAnswer>(inProject(project.id, 'store'), { signal }).catch(
          () => null,
        );
        measured.push({ project, store });
      }
      return measured.sort((a, b) => (b.store?.diskBytes ?? 0) - (a.store?.diskBytes ?? 0));
    },
    [all.map(({ id }) => id).join(' ')],
  );
  return (
    <>
      <h1>Store</h1>
      <p class="quiet">
        Everything is below <code>{displayText(home)}</code> on this machine.
      </p>
      <Either of={loaded} what="what each project takes">
        {(measured) =>
          measured.length === 0 ? (
            <Empty title="No project has a store yet" />
          ) : (
            <StoreTable measured={measured} />
          )
        }
      </Either>
    </>
  );
}

const COLUMNS = {
  Project: '',
  Disk: 'number',
  Share: 'unseen',
  Checkpoints: 'number',
  Sessions: 'number',
  'Last active': '',
  Health: '',
} as const;

function StoreTable({ measured }: { readonly measured: readonly Measured[] }) {
  const sum = measured.reduce((total, { store }) => total + (store?.diskBytes ?? 0), 0);
  const most = Math.max(1, ...measured.map(({ store }) => store?.diskBytes ?? 0));
  return (
    <Table label="Disk by project" columns={COLUMNS}>
      <tbody>
        {measured.map(({ project, store }) => (
          <tr key={project.id}>
            <th scope="row">
              <a href={linkTo({ view: 'store', project: project.id })}>
                {displayText(project.name)}
              </a>
            </th>
            <td class="number">{store === null ? '' : shownBytes(store.diskBytes)}</td>
            <td class="share">
              <Share of={(store?.diskBytes ?? 0) / most} />
            </td>
            <td class="number">{shownCount(project.checkpoints)}</td>
            <td class="number">{shownCount(project.sessions)}</td>
            <td>
              {project.lastActiveAt === null ? '' : shownTime(Date.parse(project.lastActiveAt))}
            </td>
            <td class={project.problem === null ? '' : 'bad'}>
              {project.problem === null ? 'opens' : displayText(project.problem.message)}
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">All</th>
          <td class="number">{shownBytes(sum)}</td>
          <td colSpan={5} />
        </tr>
      </tfoot>
    </Table>
  );
}

/** A bar for a number between 0 and 1, which stands beside it. */
export function Share({ of }: { readonly of: number }) {
  return (
    <span class="bar-of" aria-hidden="true">
      <span style={{ width: `${Math.round(of * 100)}%` }} />
    </span>
  );
}
