import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import { capital } from '../ui/shown.ts';
import { access } from './api-client.ts';
import { connection } from './live.ts';
import { LiveRegion, UndoBar } from './notices.tsx';
import { knownProject, projects } from './projects.ts';
import { route } from './router.ts';
import { linkTo, type Route } from './routes.ts';
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

/** For somebody who has no key of this server: the page shows nothing, and says how to get in. */
function LockedOut() {
  const isRefused = access.value === 'refused';
  return (
    <main class="locked-out" id="main">
      <h1>{isRefused ? 'This page has been left behind' : 'This page needs a key'}</h1>
      <p>
        {isRefused
          ? 'The server was started again since this page was opened, or its link was used before.'
          : 'Links work in a browser in which the page was opened by the command.'}{' '}
        In a terminal, type
      </p>
      <pre>
        <code>savepoint web</code>
      </pre>
      <p>
        or press Enter where it runs: the page opens anew, with a key of its own. Nothing on this
        machine has been changed.
      </p>
    </main>
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

const THEMES = ['system', 'light', 'dark'] as const;
const STORED_THEME = 'savepoint.theme';
const theme = signal(themeOf(localStorage.getItem(STORED_THEME)));

function themeOf(name: string | null): (typeof THEMES)[number] {
  return THEMES.find((one) => one === name) ?? 'system';
}

effect(() => {
  localStorage.setItem(STORED_THEME, theme.value);
  document.documentElement.dataset.theme = theme.value;
});

function ThemeSwitch() {
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select
        value={theme.value}
        onChange={(event) => {
          theme.value = themeOf(event.currentTarget.value);
        }}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {capital(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A filter that is typed is no new place. */
function placeOf(here: Route): string {
  return here.view === 'timeline' ? linkTo({ ...here, filter: '' }) : linkTo(here);
}

function titleOf(here: Route): string {
  const name = knownProject('project' in here ? here.project : undefined)?.name;
  const view = NAMES[here.view] ?? capital(here.view);
  return name === undefined ? view : `${view} · ${displayText(name)}`;
}

/** Of views that are not called by their names in the program. */
const NAMES: Partial<Record<Route['view'], string>> = { home: 'Projects', unknown: 'Not found' };

function skipTo(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}
