import { render } from 'preact';
import { access, redeemToken } from './app/api-client.ts';
import { listen } from './app/live.ts';
import { loadProjects, projects } from './app/projects.ts';
import { renamePlace } from './app/router.ts';
import { Shell } from './app/shell.tsx';
import './styles/page.css';

const isArrival = await redeemToken();
const loaded = access.value === 'given' ? loadProjects() : undefined;
if (isArrival) {
  await loaded;
  const here = projects.value?.here ?? null;
  // Who typed the command in a project wants to see that project.
  if (here !== null) renamePlace({ view: 'timeline', project: here });
}
render(<Shell />, document.body);
listen();
