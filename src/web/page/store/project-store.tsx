import { useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { FsckAnswer, SettingJson, StoreAnswer } from '../../api.ts';
import { type ApiError, get, post } from '../app/api-client.ts';
import { asApiError, useLoaded } from '../app/load.ts';
import { inProject, projects } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { agentName, counted, shownBytes, shownCount, shownTime } from '../ui/shown.ts';
import { Either, Failed, Scrolled } from '../ui/states.tsx';
import { PrunePreview } from './prune-preview.tsx';
import { Share } from './store-view.tsx';

/** The store of one project. Nothing here removes anything: the command does, after it has asked. */
export function ProjectStore({ project }: { readonly project: string }) {
  const known = projects.value?.projects.find(({ id }) => id === project);
  const [loaded, again] = useLoaded(
    (signal) => get<StoreAnswer>(inProject(project, 'store'), { signal }),
    [project],
  );
  const store = loaded.state === 'ready' ? loaded.value : null;
  return (
    <div class="store">
      <p class="crumb">
        <a href={linkTo({ view: 'store' })}>Store</a>
      </p>
      <h1>{displayText(known?.name ?? 'Store')}</h1>
      <Either of={loaded} what="the store" again={again}>
        {(store) => <Figures store={store} />}
      </Either>
      {/* Also where the store cannot be read: the check says why. */}
      <Health project={project} problems={store?.problems ?? []} />
      {store !== null && (
        <>
          <PrunePreview project={project} />
          <Sessions sessions={store.sessions} />
          <Settings settings={store.settings} />
        </>
      )}
    </div>
  );
}

function Figures({ store: { diskBytes, stats } }: { readonly store: StoreAnswer }) {
  const saved = stats.blobBytes === 0 ? '' : ` of ${shownBytes(stats.blobBytes)} of contents`;
  const figures = [
    ['Disk', `${shownBytes(diskBytes)}${saved}`],
    ['Checkpoints', shownCount(stats.checkpoints)],
    ['Changes of files', shownCount(stats.changes)],
    ['Contents', shownCount(stats.blobs)],
    ['Rewinds and undos', shownCount(stats.operations)],
    ...(stats.gitBytes > 0 ? [['Shared with git', shownBytes(stats.gitBytes)] as const] : []),
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Health(props: { readonly project: string; readonly problems: readonly string[] }) {
  const [check, setCheck] = useState<FsckAnswer | 'running' | ApiError | null>(null);
  const look = () => {
    setCheck('running');
    post<FsckAnswer>(inProject(props.project, 'fsck'), {}).then(setCheck, (failure) =>
      setCheck(asApiError(failure)),
    );
  };
  return (
    <section aria-labelledby="health">
      <h2 id="health">Health</h2>
      {props.problems.map((problem) => (
        <p key={problem} class="bad">
          {displayText(problem)}
        </p>
      ))}
      <p>
        <button type="button" disabled={check === 'running'} onClick={look}>
          {check === 'running' ? 'Looking at every byte…' : 'Check everything'}
        </button>{' '}
        <span class="quiet">
          as <code>savepoint fsck</code> does; changes nothing
        </span>
      </p>
      <div role="status">
        {check === null || check === 'running' ? null : 'rows' in check ? (
          <Checked check={check} />
        ) : (
          <Failed error={check} />
        )}
      </div>
    </section>
  );
}

function Checked({ check }: { readonly check: FsckAnswer }) {
  if (check.problems.length === 0) {
    return (
      <p class="good">
        Sound: {counted(check.rows, 'row')} and {counted(check.blobs, 'content')} are what was
        written.
      </p>
    );
  }
  return (
    <>
      <p class="bad">
        {counted(check.problems.length, 'problem')}.{' '}
        {check.readable ? 'The timeline can be read.' : 'The timeline cannot be read.'} Type{' '}
        <code>savepoint fsck --repair</code> in the project.
      </p>
      <ul>
        {check.problems.map(({ kind, message, paths }) => (
          <li key={message}>
            <b class="chip">{kind}</b> {displayText(message)}{' '}
            <span class="quiet">{paths.map(displayText).join(', ')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const MOST_SESSIONS = 50;

function Sessions({ sessions }: { readonly sessions: StoreAnswer['sessions'] }) {
  if (sessions.length === 0) return null;
  const most = Math.max(1, ...sessions.map(({ contentBytes }) => contentBytes));
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions by the contents that they brought</h2>
      <Scrolled label="Disk by session">
        <table>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Last active</th>
              <th scope="col" class="number">
                Contents
              </th>
              <th scope="col">
                <span class="unseen">Share</span>
              </th>
              <th scope="col" class="number">
                Checkpoints
              </th>
              <th scope="col" class="number">
                Files
              </th>
              <th scope="col">Session</th>
            </tr>
          </thead>
          <tbody>
            {sessions.slice(0, MOST_SESSIONS).map((session) => (
              <tr key={session.id}>
                <td>{agentName(session.agent)}</td>
                <td>{shownTime(Date.parse(session.lastActiveAt))}</td>
                <td class="number">{shownBytes(session.contentBytes)}</td>
                <td class="share">
                  <Share of={session.contentBytes / most} />
                </td>
                <td class="number">{shownCount(session.checkpoints)}</td>
                <td class="number">{shownCount(session.files)}</td>
                <td>
                  <code>{displayText(session.id)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
      {sessions.length > MOST_SESSIONS ? (
        <p class="quiet">and {counted(sessions.length - MOST_SESSIONS, 'smaller one')}</p>
      ) : null}
    </section>
  );
}

function Settings({ settings }: { readonly settings: readonly SettingJson[] }) {
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <p class="quiet">
        Change one with <code>savepoint config KEY VALUE</code>.
      </p>
      <Scrolled label="All settings">
        <table>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            {settings.map(({ key, value, origin, source, summary }) => (
              <tr key={key}>
                <th scope="row">
                  <code>{displayText(key)}</code>
                </th>
                <td>
                  <code>{displayText(value)}</code>
                </td>
                <td title={displayText(source ?? '')}>
                  <b class={origin === 'default' ? 'chip' : 'chip set'}>{origin}</b>
                </td>
                <td>{displayText(summary)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </section>
  );
}
