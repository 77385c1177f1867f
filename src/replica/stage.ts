import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { displayText } from '../index.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { FIRST_FILES } from './demo.ts';
import type { ReplicaIo, ReplicaRequest } from './request.ts';

/** Where the agent works and where it keeps what it keeps. */
export interface Stage {
  /** The project's real path. */
  readonly project: string;
  /** The person's home directory, or that of the play. */
  readonly home: string;
  /** `~/.claude-replica`. */
  readonly replicaHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Removes what was made for a play. */
  remove(): void;
}

/** The person's own project; for the demonstration, a scratch project that is removed at the end. */
export function setStage({ demo, project }: ReplicaRequest, io: ReplicaIo): Stage {
  if (!demo) return stageIn(realFolder(project), io.homeDirectory, io.env, () => undefined);
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'claude-replica-demo-')));
  const [played, home] = [join(scratch, 'scratch-project'), join(scratch, 'home')];
  // The SDK's process leaves things in its temporary folder.
  const temporary = join(scratch, 'tmp');
  for (const folder of [played, home, temporary]) mkdirSync(folder);
  for (const [name, text] of Object.entries(FIRST_FILES)) writeFileSync(join(played, name), text);
  const {
    SAVEPOINT_HOME: _own,
    XDG_DATA_HOME: _data,
    SAVEPOINT_DATABASE_PROJECT: _shared,
    ...env
  } = io.env;
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  const own = { SAVEPOINT_HOME: join(scratch, 'savepoint'), TMPDIR: temporary };
  return stageIn(played, home, { ...env, ...own }, remove);
}

function realFolder(project: string): string {
  const stats = statSync(project, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return realpathSync(project);
  const why = stats === undefined ? 'there is no such folder' : 'that is not a folder';
  throw new UsageError(`${why}: ${displayText(project)}`);
}

function stageIn(project: string, home: string, env: Stage['env'], remove: () => void): Stage {
  return { project, home, replicaHome: join(home, '.claude-replica'), env, remove };
}
