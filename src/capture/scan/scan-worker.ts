import { parentPort } from 'node:worker_threads';
import { checkKnown } from './check-known.ts';
import { type IndexColumns, viewColumns } from './columns.ts';
import { ScanControl, ScanStopped } from './control.ts';
import { pathsIn } from './entry-paths.ts';
import { RacyRule } from './entry-stat.ts';
import { diskFileSystem } from './file-system.ts';
import { walkPart } from './walk-part.ts';
import type { Answer, CheckTask, Task, WalkTask } from './worker-messages.ts';

/* The thread of a worker: one task after the other, one answer for each. Without its port it ends. */
parentPort?.on('message', (task: Task | null) => {
  if (task === null) parentPort?.close();
  else parentPort?.postMessage(answer(task));
});

function answer(task: Task): Answer {
  try {
    return task.kind === 'check' ? check(task) : walk(task);
  } catch (error) {
    return error instanceof ScanStopped
      ? { kind: 'stopped', reason: error.reason }
      : { kind: 'failed', error };
  }
}

function check(task: CheckTask): Answer {
  const { columns } = knownFor(task);
  const news = checkKnown({
    root: task.root,
    columns,
    paths: pathsIn(columns),
    fileSystem: diskFileSystem,
    control: controlOf(task),
  });
  return { kind: 'checked', news };
}

let known: { readonly number: number; readonly columns: IndexColumns } | null = null;

function knownFor({ number, buffer, sizes }: CheckTask) {
  if (known?.number !== number) known = { number, columns: viewColumns(buffer, sizes) };
  return known;
}

function walk(task: WalkTask): Answer {
  const context = {
    root: task.root,
    fileSystem: diskFileSystem,
    racyRule: new RacyRule(task.beganMs),
    control: controlOf(task),
  };
  const { source, ends, unreadable } = walkPart(context, task.global, task.folders);
  const { columns, rules } = source;
  const { sizes } = columns;
  return {
    kind: 'walked',
    part: { buffer: columns.bytes.buffer, sizes, rules, ends, unreadable },
  };
}

function controlOf({ control, maxEntries }: Task): ScanControl {
  // The main thread watches the clock and sets the flag.
  return new ScanControl({ maxEntries, deadline: null, now: () => 0 }, control);
}
