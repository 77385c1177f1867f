import { useEffect } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { ProjectJson } from '../../api.ts';
import { loadProjects, projects, projectsError } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { agentName, shownCount, shownTime } from '../ui/shown.ts';
import { Empty, Failed, Loading, Scrolled } from '../ui/states.tsx';

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
        <Scrolled label="All projects">
          <table>
            <thead>
              <tr>
                <th scope="col">Project</th>
                <th scope="col">Agents</th>
                <th scope="col" class="number">
                  Checkpoints
                </th>
                <th scope="col">Last active</th>
                <th scope="col">Folder</th>
              </tr>
            </thead>
            <tbody>
              {answer.projects.map((project) => (
                <ProjectRow key={project.id} project={project} />
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
      <p class="quiet">
        Savepoint {displayText(answer.version)}, stores in <code>{displayText(answer.home)}</code>
      </p>
    </>
  );
}

function ProjectRow({ project }: { readonly project: ProjectJson }) {
  const { id, name, root, agents, checkpoints, lastActiveAt, running, problem } = project;
  return (
    <tr>
      <th scope="row">
        <a href={linkTo({ view: 'timeline', project: id })}>{displayText(name)}</a>
        {running ? <b class="chip running">running</b> : null}
      </th>
      <td>{agents.map(agentName).join(', ')}</td>
      <td class="number">{shownCount(checkpoints)}</td>
      <td>{lastActiveAt === null ? '' : shownTime(Date.parse(lastActiveAt))}</td>
      <td>
        <code>{displayText(root)}</code>
        {problem === null ? null : (
          <p class="bad">
            {displayText(problem.message)}
            {problem.hint === null ? null : <> ({displayText(problem.hint)})</>}
          </p>
        )}
      </td>
    </tr>
  );
}
