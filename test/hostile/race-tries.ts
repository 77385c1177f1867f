import { closeSync, lstatSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blobOf, isSavepointError, relativePath, type State } from '../../src/index.ts';
import type { JournalStep } from '../../src/model/journal.ts';
import { dropCompanions } from '../../src/restore/companions.ts';
import { needsStaging, stageStep } from '../../src/restore/staging.ts';
import { forward } from '../../src/restore/step.ts';
import type { Arena } from './race.ts';

/** How one try ended. */
export type Outcome = 'done' | 'refused';

const ABSENT: State = { kind: 'absent' };
const FOLDER: State = { kind: 'captured', type: 'directory', mode: 0o755, blob: null, size: 0 };
const contents = new Map<string, Uint8Array>();

function state(type: 'file' | 'symlink', content: string, mode: number): State {
  const { id, bytes } = blobOf(Buffer.from(content));
  contents.set(id, bytes);
  return { kind: 'captured', type, mode, blob: id, size: bytes.length };
}

/** Each name goes to and fro between what is there at first and something else. */
const STATES: Record<string, readonly [State, State]> = {
  file: [state('file', 'outside\n', 0o644), state('file', 'restored\n', 0o600)],
  made: [state('file', 'outside\n', 0o644), ABSENT],
  mode: [state('file', 'outside\n', 0o644), state('file', 'outside\n', 0o600)],
  link: [state('file', 'outside\n', 0o644), state('symlink', 'elsewhere', 0o777)],
  sub: [state('file', 'outside\n', 0o644), FOLDER],
};

/** Restores one entry through the engine's own steps. What fails must fail as a typed refusal. */
export function engineTries({ root }: Arena): (n: number) => Outcome {
  const turns = new Map<string, number>();
  const names = Object.keys(STATES);
  return (n) => {
    const name = names[n % names.length] ?? '';
    const turn = turns.get(name) ?? 0;
    const outcome = tryStep(root, stepOf(name, turn, n));
    if (outcome === 'done') turns.set(name, turn + 1);
    return outcome;
  };
}

function stepOf(name: string, turn: number, n: number): JournalStep {
  const states = STATES[name] ?? [ABSENT, ABSENT];
  return {
    path: relativePath(`dir/${name}`),
    how: name === 'mode' ? 'chmod' : 'replace',
    from: states[turn % 2] ?? ABSENT,
    to: states[(turn + 1) % 2] ?? ABSENT,
    stageFolder: relativePath('dir'),
    stagedName: `.savepoint-race-${n}.new`,
    stashName: `.savepoint-race-${n}.old`,
  };
}

function tryStep(root: string, step: JournalStep): Outcome {
  const { to } = step;
  const bytes = to.kind === 'captured' && to.blob !== null ? contents.get(to.blob) : undefined;
  try {
    const waits = needsStaging(step) && bytes !== undefined;
    const fd = waits ? stageStep(root, step, bytes) : null;
    if (fd !== null) closeSync(fd);
    const outcome = forward(root, step);
    if (outcome !== 'done') throw new Error(`${step.path} is not what it was left as`);
    return 'done';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return 'refused';
  } finally {
    tidy(root, step);
  }
}

/** Takes our own files away again; that goes through the same folder, so it may take several goes. */
function tidy(root: string, step: JournalStep): void {
  for (let times = 0; times < 10_000; times += 1) {
    try {
      if (dropCompanions(root, { step, isOnRecord: true }).length === 0) return;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  throw new Error('the folder was not to be reached');
}

function isRefusal(error: unknown): boolean {
  return isSavepointError(error, 'symlinked-parent') || isSavepointError(error, 'plan-stale');
}

/** The control: looks first whether the parent is a link, then writes by path, as most programs do. */
export function naiveTries({ dir }: Arena): (n: number) => Outcome {
  return (n) => {
    try {
      if (lstatSync(dir).isSymbolicLink()) return 'refused';
      writeFileSync(join(dir, `naive-${n}`), 'restored\n');
      renameSync(join(dir, `naive-${n}`), join(dir, 'file'));
      return 'done';
    } catch {
      return 'refused';
    }
  };
}
