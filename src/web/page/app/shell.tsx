import { useEffect, useRef } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import { LiveRegion } from './announce.tsx';
import { access } from './api-client.ts';
import { connection } from './live.ts';
import { LockedOut } from './locked-out.tsx';
import { projects } from './projects.ts';
import { route } from './router.ts';
import { linkTo, type Route } from './routes.ts';
import { THEMES, theme } from './theme.ts';
import { UndoBar } from './undo-bar.tsx';
import { CurrentView } from './views.tsx';

export function Shell() {
  const main = useRef<HTMLElement>(null);
  const place = placeOf(route.value);
  const isFirst = useRef(true);
  useEffect(() => {
    // A new place begins at its top, also for those who hear the page.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    document.title = `${titleOf(route.value)} · Savepoint`;
  }, [place]);
  if (access.value !== 'given') return <LockedOut />;
  return (
    <>
      <header class="top">
        <a class="skip" href={linkTo(route.value)} onClick={(event) => skipTo(event, main.current)}>
          Skip to the content
        </a>
        <a class="brand" href={linkTo({ view: 'home' })}>
          Savepoint
        </a>
        <UndoBar />
        <span class="space" />
        <ConnectionState />
        <ThemeSwitch />
      </header>
      <Projects here={route.value} />
      <main ref={main} tabIndex={-1} id="main">
        <CurrentView route={route.value} />
      </main>
      <LiveRegion />
    </>
  );
}

function Projects({ here }: { readonly here: Route }) {
  const current = 'project' in here ? here.project : undefined;
  return (
    <nav class="side" aria-label="Projects">
      <ul>
        {(projects.value?.projects ?? []).map(({ id, root, name }) => (
          <li key={id}>
            <a
              href={linkTo({ view: 'timeline', project: id })}
              aria-current={id === current ? 'page' : undefined}
              title={displayText(root)}
            >
              {displayText(name)}
            </a>
            {id === current ? <ProjectPlaces project={id} here={here} /> : null}
          </li>
        ))}
      </ul>
      <ul class="side-end">
        <li>
          <a
            href={linkTo({ view: 'store' })}
            aria-current={here.view === 'store' && here.project === undefined ? 'page' : undefined}
          >
            All stores
          </a>
        </li>
      </ul>
    </nav>
  );
}

function ProjectPlaces({ project, here }: { readonly project: string; readonly here: Route }) {
  const places = [
    ['Timeline', { view: 'timeline', project }],
    ['Executions', { view: 'executions', project }],
    ['Store', { view: 'store', project }],
  ] as const;
  return (
    <ul class="places">
      {places.map(([name, place]) => (
        <li key={name}>
          <a href={linkTo(place)} aria-current={here.view === place.view ? 'page' : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

function ConnectionState() {
  const state = connection.value;
  if (state === 'idle') return null;
  const says = { live: 'Live', connecting: 'Connecting', away: 'Server away' }[state];
  return (
    <span
      class={`connection ${state}`}
      title="What agents do appears as it happens while this is live"
    >
      {says}
    </span>
  );
}

function ThemeSwitch() {
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select
        value={theme.value}
        onChange={(event) => {
          theme.value = THEMES.find((one) => one === event.currentTarget.value) ?? 'system';
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

/** A filter that is typed is no new place. */
function placeOf(here: Route): string {
  return here.view === 'timeline' ? linkTo({ ...here, filter: '' }) : linkTo(here);
}

function titleOf(here: Route): string {
  const project = 'project' in here ? here.project : undefined;
  const name = projects.value?.projects.find(({ id }) => id === project)?.name;
  const names = {
    home: 'Projects',
    timeline: 'Timeline',
    checkpoint: 'Checkpoint',
    file: 'File',
    rewind: 'Rewind',
    undo: 'Undo',
    executions: 'Executions',
    store: 'Store',
    unknown: 'Not found',
  };
  const view = names[here.view];
  return name === undefined ? view : `${view} · ${displayText(name)}`;
}

function skipTo(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}
