import { render } from 'preact';
import { access, redeemToken } from './app/api-client.ts';
import { listen } from './app/live.ts';
import { loadProjects, projects } from './app/projects.ts';
import { renamePlace, route } from './app/router.ts';
import { Shell } from './app/shell.tsx';
import './styles/page.css';

const isArrival = await redeemToken();
render(<Shell />, document.body);
listen();
if (access.value === 'given') {
  await loadProjects();
  const here = projects.value?.here ?? null;
  // Who typed the command in a project wants to see that project, and who has clicked since then something else.
  const stays = route.value.view !== 'home';
  if (isArrival && here !== null && !stays) renamePlace({ view: 'timeline', project: here });
}
