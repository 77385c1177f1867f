import { type KeptIn, keptIn } from '../../config/project-store.ts';
import { configurationOf } from '../../config/settings.ts';
import { displayText, type ProjectStatus } from '../../index.ts';
import {
  COUNT,
  described,
  exact,
  listOf,
  nullable,
  oneOf,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { COVERAGE, plural, relativeTime, sizeText } from '../../terminal/phrases.ts';
import { notCovered } from '../../terminal/reasons.ts';
import type { Call, Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, withPathBytes } from '../json.ts';
import { COVERS, KEPT_IN, PATH, PATH_BYTES, timeJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';

const STATS = exact({
  sessions: COUNT,
  checkpoints: COUNT,
  changes: COUNT,
  operations: COUNT,
  blobs: COUNT,
  blobBytes: described('Of all blobs, before compression.', COUNT),
  storedBytes: described('Of all blobs, as they are stored.', COUNT),
  packedBytes: described('Of all packs, as they are stored.', COUNT),
  gitBytes: described(
    "Kept of git's packs, which may be links to the repository's own files.",
    COUNT,
  ),
});

const SHAPE = exact({
  project: TEXT,
  store: KEPT_IN,
  stats: STATS,
  newest: described('The newest checkpoint.', nullable(exact({ id: TEXT, coverage: COVERS }))),
  worktree: described(
    'Null before the first scan: only files that tools named are on record.',
    nullable(
      exact({
        entries: described('Found by the first scan.', COUNT),
        fromGit: described('The number of those that git holds.', COUNT),
        sharedBytes: described(
          "Of git's packs, where whoever overwrites the repository's own file destroys what undo needs.",
          COUNT,
        ),
        unrecorded: described(
          'Paths in scope whose content is not on record.',
          listOf(exact({ path: PATH, reason: TEXT })),
        ),
        pending: described(
          'Paths that changed since the last scan; null where it could not be scanned.',
          nullable(COUNT),
        ),
        hiddenBy: described(
          'What hides every name in the project, so that nothing new is recorded.',
          nullable(oneOf('rules', 'exclude')),
        ),
        keptIgnored: described('Entries that git ignores and that are kept, privately.', COUNT),
        ignored: described('Names that are left out of scope.', listOf(PATH)),
      }),
    ),
  ),
  running: described(
    'Commands that are said to be running.',
    listOf(exact({ id: TEXT, sessionId: TEXT, description: TEXT })),
  ),
  interrupted: described(
    'Commands whose end is not on record: their process is gone, or nothing could be recorded when they ended.',
    listOf(
      exact({
        sessionId: TEXT,
        checkpointId: described(
          'Made before the command: what savepoint rewind and diff take.',
          TEXT,
        ),
        description: TEXT,
        createdAt: described('When it began: ISO 8601, in UTC.', TEXT),
      }),
    ),
  ),
  pathBytes: PATH_BYTES,
});

export const status: Command = {
  name: 'status',
  summary: 'what is on record, what is not, and why',
  details:
    'Shows how much of the project is covered: what the scan of the worktree found, which files git holds\n' +
    'already, which are in scope and not on record, and which the ignore rules leave out.',
  examples: [
    ['savepoint status', ''],
    ['savepoint status --json', 'for a program, with every path'],
  ],
  json: { status: SHAPE },
  run: async (call) => {
    return withTimeline(call, async (savepoint) => {
      const found = await savepoint.status();
      const store = storeOf(call, savepoint.root);
      printJson(call, SHAPE, { ...statusJson(found), store });
      if (!call.json) for (const line of statusText(call, found, store)) call.say(line);
      const [first] = found.interrupted;
      if (first === undefined) call.hint('see the timeline with: savepoint list');
      else
        call.hint(
          `see what is different since it began with: savepoint diff ${first.checkpointId}`,
        );
      return EXIT.done;
    });
  },
};

const SHOWN = 10;

function statusText(
  call: Call,
  { root, stats, newest, worktree, running, interrupted }: ProjectStatus,
  store: KeptIn,
): string[] {
  const stored = stats.storedBytes + stats.packedBytes;
  const lines = [
    `Project      ${displayText(root)}`,
    `Timeline     ${plural(stats.checkpoints, 'checkpoint', 'checkpoints')}, ${plural(stats.changes, 'change', 'changes')}, ${sizeText(stored)} stored`,
  ];
  if (store.kind === 'server') lines.push(`Server       ${serverText(store)}`);
  if (stats.gitBytes > 0)
    lines.push(`             ${sizeText(stats.gitBytes)} kept of git's objects`);
  if (newest !== null) {
    const when = relativeTime(newest.createdAt, call.io.now());
    lines.push(
      `Newest       ${displayText(newest.description)}, ${when} (${COVERAGE[newest.coverage]})`,
    );
  }
  for (const { description } of running) lines.push(`Running      ${displayText(description)}`);
  for (const { description, createdAt } of interrupted) {
    const when = relativeTime(createdAt, call.io.now());
    lines.push(`Interrupted  ${displayText(description)}, begun ${when}; its end is not on record`);
  }
  if (worktree === null) {
    return [
      ...lines,
      'Worktree     not scanned: only files that tools named are on record.',
      '             `savepoint run -- COMMAND` scans it, and so do agents that are set up for it.',
    ];
  }
  const { entries, fromGit, sharedBytes, pending, unrecorded, hiddenBy, ignored, keptIgnored } =
    worktree;
  lines.push(
    `Worktree     ${plural(entries, 'entry', 'entries')} at the first scan, ${fromGit} of them held by git`,
  );
  if (sharedBytes > 0) {
    lines.push(
      `Shared       ${sizeText(sharedBytes)} of git's packs: whoever overwrites files in .git/objects/pack destroys`,
      '             what undo needs. The next scan copies them, as far as maxCopyBytes goes.',
    );
  }
  if (hiddenBy === 'rules') {
    lines.push(
      'Hidden       every name in the project, by ignore rules: files that were on record stay so,',
      '             new ones are recorded only if they are small. See .gitignore and .savepointignore.',
    );
  } else if (hiddenBy === 'exclude') {
    lines.push(
      'Hidden       every file in the project, by the setting exclude: nothing new is recorded,',
      '             and what was recorded can still be undone. See savepoint config exclude.',
    );
  }
  if (pending === null) lines.push('             it could not be compared with the last scan now');
  else
    lines.push(
      `             ${plural(pending, 'path', 'paths')} changed or to be looked at again since the last scan`,
    );
  lines.push(
    ...listed(
      `Not covered  ${plural(unrecorded.length, 'path', 'paths')}`,
      unrecorded.map(({ path, reason }) => `${displayText(path)}  ${notCovered(reason)}`),
    ),
  );
  if (unrecorded.some(({ reason }) => reason === 'too-large')) {
    lines.push('             To keep larger files, raise maxFileSize: see savepoint config.');
  }
  if (keptIgnored > 0) {
    lines.push(
      `Private      ${plural(keptIgnored, 'entry', 'entries')} that git ignores, kept as well and never exported`,
    );
  }
  lines.push(
    ...listed(
      `Left out     ${plural(ignored.length, 'name', 'names')}: build output, ignored files that are large or too many, nested .git, or by .savepointignore`,
      ignored.map((path) => displayText(path)),
    ),
  );
  return lines;
}

/** Where the timeline of a project is kept. */
export function storeOf(call: Call, root: string): KeptIn {
  return keptIn(call.io, root, configurationOf(call.io, root).values);
}

/** "db.example.com:5432/agents, project website" */
export function serverText({ server, project }: KeptIn): string {
  return `${displayText(server ?? 'not set')}, project ${displayText(project ?? '')}`;
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const more = items.length > SHOWN ? [`             and ${items.length - SHOWN} more`] : [];
  return [title, ...items.slice(0, SHOWN).map((item) => `             ${item}`), ...more];
}

function statusJson(status: ProjectStatus): Omit<TypeOf<typeof SHAPE>, 'store'> {
  const { root, stats, newest, worktree, running, interrupted } = status;
  return withPathBytes(({ name }) => ({
    project: root,
    stats,
    newest: newest && { id: newest.id, coverage: newest.coverage },
    worktree: worktree && {
      ...worktree,
      unrecorded: worktree.unrecorded.map(({ path, reason }) => ({ path: name(path), reason })),
      ignored: worktree.ignored.map(name),
    },
    running: running.map(({ id, sessionId, description }) => ({ id, sessionId, description })),
    interrupted: interrupted.map(({ sessionId, checkpointId, description, createdAt }) => {
      return { sessionId, checkpointId, description, createdAt: timeJson(createdAt) };
    }),
  }));
}
