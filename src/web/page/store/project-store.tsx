import { useState } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { FsckAnswer, PruneAnswer, PruneRequest, SettingJson, StoreAnswer } from '../../api.ts';
import { ApiError, post } from '../app/api-client.ts';
import { useAnswer, useLoaded } from '../app/load.ts';
import { inProject, knownProject, useProject } from '../app/projects.ts';
import { linkTo } from '../app/routes.ts';
import { Table } from '../ui/parts.tsx';
import { agentName, counted, shownBytes, shownCount, shownTime } from '../ui/shown.ts';
import { Either, Failed } from '../ui/states.tsx';
import { Share } from './store-view.tsx';

/** The store of one project. Nothing here removes anything: the command does, after it has asked. */
export function ProjectStore() {
  const loaded = useAnswer<StoreAnswer>(['store']);
  const store = loaded.state === 'ready' ? loaded.value : null;
  return (
    <div class="store">
      <p class="crumb">
        <a href={linkTo({ view: 'store' })}>Store</a>
      </p>
      <h1>{displayText(knownProject(useProject())?.name ?? 'Store')}</h1>
      <Either of={loaded} what="the store">
        {(store) => <Figures store={store} />}
      </Either>
      {/* Also where the store cannot be read: the check says why. */}
      <Health problems={store?.problems ?? []} />
      {store !== null && (
        <>
          <PrunePreview />
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

function Health({ problems }: { readonly problems: readonly string[] }) {
  const address = inProject(useProject(), 'fsck');
  const [check, setCheck] = useState<FsckAnswer | 'running' | ApiError | null>(null);
  const look = () => {
    setCheck('running');
    post<FsckAnswer>(address, {}).then(setCheck, (failure) => setCheck(ApiError.of(failure)));
  };
  return (
    <section aria-labelledby="health">
      <h2 id="health">Health</h2>
      {problems.map((problem) => (
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

/** What prune would free, by the rules or older than some days. */
function PrunePreview() {
  const address = inProject(useProject(), 'prune');
  const [days, setDays] = useState('');
  const olderThanDays = /^\d+$/.test(days) ? Number(days) : null;
  const request: PruneRequest = olderThanDays === null ? {} : { olderThanDays };
  const loaded = useLoaded(
    (signal) => post<PruneAnswer>(address, request, { signal }),
    [address, olderThanDays],
  );
  const command =
    olderThanDays === null ? 'savepoint prune' : `savepoint prune --older-than ${olderThanDays}d`;
  return (
    <section aria-labelledby="prune">
      <h2 id="prune">What prune would free</h2>
      <p>
        <label>
          Older than{' '}
          <input
            class="days"
            inputMode="numeric"
            placeholder="the rules"
            value={days}
            onInput={(event) => setDays(event.currentTarget.value.trim())}
          />{' '}
          days
        </label>
      </p>
      <div role="status">
        <Either of={loaded} what="what could go">
          {(plan) =>
            plan.checkpoints + plan.blobs === 0 ? (
              <p class="quiet">Nothing: all of it is still wanted.</p>
            ) : (
              <p>
                Up to <strong>{shownBytes(plan.upToBytes)}</strong> of {shownBytes(plan.diskBytes)}:{' '}
                {counted(plan.checkpoints, 'checkpoint')}, {counted(plan.changes, 'change')},{' '}
                {counted(plan.blobs, 'content')}, {counted(plan.operations, 'operation')}. To remove
                them, type <code>{command}</code> in the project.
              </p>
            )
          }
        </Either>
      </div>
    </section>
  );
}

const MOST_SESSIONS = 50;
const SESSION_COLUMNS = {
  Agent: '',
  'Last active': '',
  Contents: 'number',
  Share: 'unseen',
  Checkpoints: 'number',
  Files: 'number',
  Session: '',
} as const;

function Sessions({ sessions }: { readonly sessions: StoreAnswer['sessions'] }) {
  if (sessions.length === 0) return null;
  const most = Math.max(1, ...sessions.map(({ contentBytes }) => contentBytes));
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions by the contents that they brought</h2>
      <Table label="Disk by session" columns={SESSION_COLUMNS}>
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
      </Table>
      {sessions.length > MOST_SESSIONS && (
        <p class="quiet">and {counted(sessions.length - MOST_SESSIONS, 'smaller one')}</p>
      )}
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
      <Table label="All settings" columns={{ Setting: '', Value: '', From: '', Meaning: '' }}>
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
      </Table>
    </section>
  );
}
