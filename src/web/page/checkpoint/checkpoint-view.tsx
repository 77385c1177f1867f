import { useRef } from 'preact/hooks';
import { displayLines, displayText } from '../../../model/display.ts';
import type { ChangedFile, CheckpointAnswer } from '../../api.ts';
import { useLive } from '../app/live.ts';
import { useAnswer } from '../app/load.ts';
import { useProject } from '../app/projects.ts';
import { goTo } from '../app/router.ts';
import { linkTo, type RouteOf } from '../app/routes.ts';
import { DiffStyleSwitch } from '../diff/diff-style.tsx';
import { LineCounts, TakenBack, useSome } from '../ui/parts.tsx';
import { agentName, counted, shownTime, wholeTime } from '../ui/shown.ts';
import { Either, Empty } from '../ui/states.tsx';
import { useKeys } from '../ui/window.ts';
import { Calls } from './calls.tsx';
import { FileSection } from './file-section.tsx';
import { FileTree } from './file-tree.tsx';

/** One checkpoint: what was asked, what was done for it, what each file became, and the way back. */
export function CheckpointView({ route }: { readonly route: RouteOf<'checkpoint'> }) {
  const loaded = useAnswer<CheckpointAnswer>(['checkpoints', route.id]);
  useLive(({ type }) => {
    const isAtWork = loaded.state === 'ready' && loaded.value.calls.some(({ running }) => running);
    // A command that is killed ends without a change.
    if (type === 'changed' || (type === 'running' && isAtWork)) loaded.again();
  });
  return (
    <Either of={loaded} what="the checkpoint">
      {(answer) => <Checkpoint answer={answer} />}
    </Either>
  );
}

interface AnswerProps {
  readonly answer: CheckpointAnswer;
}

function Checkpoint({ answer }: AnswerProps) {
  const project = useProject();
  const { previous, next, calls } = answer;
  const [files, moreFiles] = useSome(answer.files, SHOWN_FILES, 5 * SHOWN_FILES, 'more file');
  const place = useRef<HTMLDivElement>(null);
  const visit = (id: string | null) => id !== null && goTo({ view: 'checkpoint', project, id });
  const step = (by: 1 | -1) => stepThrough(place.current, by);
  useKeys({
    '[': () => visit(previous),
    ']': () => visit(next),
    n: () => step(1),
    p: () => step(-1),
  });
  return (
    <div class="checkpoint" ref={place}>
      <Heading answer={answer} />
      <Calls calls={calls} />
      {files.length === 0 ? (
        <NoFiles answer={answer} />
      ) : (
        <div class="with-tree">
          <FileTree files={files} visit={(path) => showFile(place.current, path)} />
          <section class="files" aria-labelledby="files-heading">
            <div class="files-bar">
              <h2 id="files-heading">{counted(answer.files.length, 'file')}</h2>
              <span class="quiet wide-only">
                <kbd>n</kbd> and <kbd>p</kbd> go through the files
              </span>
              <DiffStyleSwitch />
            </div>
            {files.map((file, i) => (
              <FileSection key={file.path} {...{ answer, file }} isEarly={i < 5} />
            ))}
            {moreFiles}
          </section>
        </div>
      )}
    </div>
  );
}

function NoFiles({ answer: { calls, checkpoint } }: AnswerProps) {
  if (calls.some(({ running }) => running)) {
    return (
      <Empty title="No change of a file is on record yet.">
        <p class="quiet">What a command changed is found when it ends.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No file changed under this checkpoint.">
      <p class="quiet">
        {checkpoint.kind === 'safety'
          ? 'It keeps what was there before a rewind.'
          : 'The agent only answered, or what it did is not on record.'}
      </p>
    </Empty>
  );
}

const SHOWN_FILES = 200;
const LONG_PROMPT = 1_200;

function Heading({ answer }: AnswerProps) {
  const project = useProject();
  const { checkpoint, session, files, previous, next } = answer;
  const { id, agent, createdAt, description, label, kind } = checkpoint;
  const [first, rest] = splitPrompt(description);
  return (
    <header class="checkpoint-heading">
      <p class="meta">
        <strong>{kind === 'manual' ? 'Saved by hand' : agentName(agent)}</strong>
        <time dateTime={createdAt} title={wholeTime(Date.parse(createdAt))}>
          {shownTime(Date.parse(createdAt))}
        </time>
        {label !== null && <span class="badge">{displayText(label)}</span>}
        {answer.current && <span class="badge here">the files stand here</span>}
        <TakenBack of={checkpoint.takenBack} />
        {checkpoint.imported && <span class="badge">imported</span>}
        <code class="quiet">{id}</code>
        {session !== null && <span class="quiet wide-only">session {displayText(session.id)}</span>}
      </p>
      <h1>{displayText(first)}</h1>
      {rest !== '' &&
        (rest.length > LONG_PROMPT ? (
          <details class="prompt">
            <summary>The whole prompt</summary>
            <pre>{displayLines(rest)}</pre>
          </details>
        ) : (
          <pre class="prompt">{displayLines(rest)}</pre>
        ))}
      <Sums files={files} />
      <div class="actions">
        {files.length > 0 && checkpoint.takenBack !== 'yes' && (
          <a class="button primary" href={linkTo({ view: 'rewind', project, id, take: 'message' })}>
            Take back this
          </a>
        )}
        <a class="button" href={linkTo({ view: 'rewind', project, id })}>
          Rewind to here
        </a>
        <span class="space" />
        {previous !== null && (
          <a class="button plain" href={linkTo({ view: 'checkpoint', project, id: previous })}>
            ← Earlier
          </a>
        )}
        {next !== null && (
          <a class="button plain" href={linkTo({ view: 'checkpoint', project, id: next })}>
            Later →
          </a>
        )}
      </div>
    </header>
  );
}

function Sums({ files }: { readonly files: readonly ChangedFile[] }) {
  if (files.length === 0) return null;
  const insertions = files.reduce((sum, file) => sum + file.insertions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  return (
    <p class="meta">
      {counted(files.length, 'file')} <LineCounts {...{ insertions, deletions }} />
    </p>
  );
}

const LONGEST_TITLE = 200;

/** The first line is the heading; a prompt of one long line is cut where it can be read on. */
function splitPrompt(text: string): [first: string, rest: string] {
  const trimmed = text.trim();
  const end = trimmed.indexOf('\n');
  const first = end === -1 ? trimmed : trimmed.slice(0, end);
  if (first.length > LONGEST_TITLE) return [`${first.slice(0, LONGEST_TITLE)}…`, trimmed];
  return [
    first === '' ? '(no prompt)' : first,
    end === -1 ? '' : trimmed.slice(end + 1).trimStart(),
  ];
}

function sectionsIn(place: HTMLElement | null): HTMLElement[] {
  return [...(place?.querySelectorAll<HTMLElement>('section.file') ?? [])];
}

function showFile(place: HTMLElement | null, path: string): void {
  show(sectionsIn(place).find((section) => section.dataset.path === path));
}

function stepThrough(place: HTMLElement | null, by: 1 | -1): void {
  const sections = sectionsIn(place);
  const at = sections.findIndex((section) => section.contains(document.activeElement));
  show(sections[at === -1 ? 0 : Math.max(0, Math.min(sections.length - 1, at + by))]);
}

function show(section: HTMLElement | undefined): void {
  section?.scrollIntoView({ block: 'start' });
  section?.querySelector<HTMLElement>('h3')?.focus({ preventScroll: true });
}
