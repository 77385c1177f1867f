import type { Baseline } from '../../../model/baseline.ts';
import type { BaselineState } from '../../../model/manifest/entry.ts';
import { Manifest } from '../../../model/manifest/manifest.ts';
import type { TrackedPath } from '../../../model/path.ts';
import { readBaseline } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { intact, readBlob } from '../read-blob.ts';
import { problem, type StoreProblem } from './problem.ts';

const CHECKPOINTS = 'SELECT id FROM checkpoints WHERE seq > ? ORDER BY seq DESC';

/** The list of the baseline, or null where there is none to be read. */
export function readManifest(opened: Opened): Manifest | null {
  const baseline = baselineOf(opened);
  if (baseline === null) return null;
  try {
    return new Manifest(readBlob(opened, baseline.manifest));
  } catch {
    return null;
  }
}

/** The baseline names everything that never changed: each of its contents has to be there. */
export async function* checkBaseline(opened: Opened): AsyncGenerator<StoreProblem | null> {
  const baseline = baselineOf(opened);
  if (baseline === null) return;
  const list = readManifest(opened);
  if (list === null) {
    const message =
      'the list of the first scan is lost: paths that never changed cannot be restored';
    yield problem('baseline', message, { checkpoints: since(opened, baseline) });
    return;
  }
  for (const [path, state] of list) yield checkEntry(opened, baseline, path, state);
}

function checkEntry(
  opened: Opened,
  baseline: Baseline,
  path: TrackedPath,
  state: BaselineState,
): StoreProblem | null {
  if (isReadableEntry(opened, state)) return null;
  const kind = state.kind === 'git' ? 'git' : 'pack';
  const message = `what the first scan found at ${path} is lost in its ${kind === 'git' ? 'git object' : 'pack'}`;
  return problem(kind, message, { paths: [path], checkpoints: since(opened, baseline) });
}

/** Whether the bytes that an entry of the list names are there, if it names any. */
export function isReadableEntry(opened: Opened, state: BaselineState): boolean {
  if (state.kind === 'unknown') return true;
  if (state.kind === 'git') {
    const bytes = intact(() => opened.gitObjects.read(state.key));
    return bytes !== null && bytes.length === state.size;
  }
  const { blob } = state;
  if (blob === null) return true;
  return intact(() => opened.packs.read(blob) ?? readBlob(opened, blob)) !== null;
}

function since({ connection }: Opened, { seq }: Baseline): StoreProblem['checkpoints'] {
  const rows = connection.all<{ id: StoreProblem['checkpoints'][number] }>(CHECKPOINTS, seq);
  return rows.map(({ id }) => id);
}

function baselineOf({ connection }: Opened): Baseline | null {
  try {
    return readBaseline(connection);
  } catch {
    return null;
  }
}
