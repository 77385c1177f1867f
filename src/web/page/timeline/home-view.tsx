import { useEffect } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { ProjectJson } from '../../api.ts';
import { loadProjects, projects, projectsError } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { Table } from '../ui/parts.tsx';
import { agentName, shownCount, shownTime } from '../ui/shown.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';

/** All projects of this machine. */
export function HomeView() {
  // What was loaded with the page may be hours old.
  useEffect(() => void loadProjects(), []);
  if (projectsError.value !== null)
    return <Failed error={projectsError.value} again={loadProjects} />;
  const answer = projects.value;
  if (answer === null) return <Loading what="the projects" />;
  return (
    <>
      <h1>Projects</h1>
      {answer.projects.length === 0 ? (
        <Empty title="Savepoint knows no project yet">
          <p>
            In the folder of a project, type <code>savepoint init</code>, or{' '}
            <code>savepoint demo</code> to see what it does.
          </p>
        </Empty>
      ) : (
        <Table label="All projects" columns={COLUMNS}>
          <tbody>
            {answer.projects.map((project) => (
              <ProjectRow key={project.id} project={project} />
            ))}
          </tbody>
        </Table>
      )}
      <p class="quiet">
        Savepoint {displayText(answer.version)}, stores in <code>{displayText(answer.home)}</code>
      </p>
    </>
  );
}

const COLUMNS = {
  Project: '',
  Agents: '',
  Checkpoints: 'number',
  'Last active': '',
  Folder: '',
} as const;

function ProjectRow({ project }: { readonly project: ProjectJson }) {
  const { id, name, root, agents, checkpoints, lastActiveAt, running, problem } = project;
  return (
    <tr>
      <th scope="row">
        <a href={linkTo({ view: 'timeline', project: id })}>{displayText(name)}</a>
        {running && <b class="chip running">running</b>}
      </th>
      <td>{agents.map(agentName).join(', ')}</td>
      <td class="number">{shownCount(checkpoints)}</td>
      <td>{lastActiveAt === null ? '' : shownTime(Date.parse(lastActiveAt))}</td>
      <td>
        <code>{displayText(root)}</code>
        {problem !== null && (
          <p class="bad">
            {displayText(problem.message)}
            {problem.hint !== null && ` (${displayText(problem.hint)})`}
          </p>
        )}
      </td>
    </tr>
  );
}
