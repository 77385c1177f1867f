import { afterEach, beforeEach } from 'vitest';
import {
  type Attribution,
  type ChangeOrigin,
  type Checkpoint,
  relativePath,
  type Savepoint,
  type ScanReport,
} from '../../src/index.ts';
import { ShellProject } from './shell-project.ts';

/** Runs a script as an agent's command: between the two ends of a window. */
export async function command(
  savepoint: Savepoint,
  work: () => unknown,
  { session = 'agent', message = 'm1' }: { session?: string; message?: string } = {},
): Promise<ScanReport> {
  const window = await savepoint.openWindow({ sessionId: session, messageId: message });
  await work();
  return savepoint.closeWindow(window.id);
}

/** A tool call that names one path. */
export async function tool(
  savepoint: Savepoint,
  path: string,
  work: () => unknown,
  { session = 'agent', message = 'm1' }: { session?: string; message?: string } = {},
): Promise<void> {
  const request = { sessionId: session, messageId: message, paths: [path] };
  const capture = await savepoint.captureBefore(request);
  await work();
  await savepoint.captureAfter(capture);
}

/** Who the changes of a path are put down to, oldest first. */
export async function authorsOf(
  savepoint: Savepoint,
  path: string,
): Promise<(readonly [ChangeOrigin, string | null, Attribution])[]> {
  const changes = await savepoint.changes({ paths: [relativePath(path)] });
  return changes.map(({ origin, sessionId, attribution }) => [origin, sessionId, attribution]);
}

/** A message of the agent's user: the point to return to. */
export function message(savepoint: Savepoint, id = 'm1', session = 'agent'): Promise<Checkpoint> {
  return savepoint.checkpoint({ sessionId: session, messageId: id });
}

/** The set-up of tests that tell their own story: a project without git, and its savepoint. */
export function withProject(options: ProjectOptions = {}): Place {
  const place = {} as { -readonly [Key in keyof Place]: Place[Key] };
  beforeEach(async () => {
    const { git = false, extra = '', keepIgnored = true } = options;
    place.project = new ShellProject({ git, extra });
    place.savepoint = await place.project.open({ keepIgnored });
  });
  afterEach(() => place.project.remove());
  return place;
}

interface ProjectOptions {
  readonly git?: boolean;
  readonly extra?: string;
  /** Whether small files that git ignores are kept; by default they are. */
  readonly keepIgnored?: boolean;
}

export interface Place {
  readonly project: ShellProject;
  readonly savepoint: Savepoint;
}

/** The paths of a report, in order. */
export function changedPaths({ changes }: Pick<ScanReport, 'changes'>): string[] {
  return changes.map(({ path }) => String(path)).sort();
}
