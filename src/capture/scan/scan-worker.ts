import { parentPort } from 'node:worker_threads';
import { checkKnown } from './check-known.ts';
import { RacyRule } from './entry-stat.ts';
import { diskFileSystem } from './file-system.ts';
import { walkPart } from './first-walk.ts';
import { type IndexColumns, pathsIn, viewColumns } from './index-columns.ts';
import { ScanControl, ScanStopped } from './scan-control.ts';
import type { Answer, CheckTask, Task, WalkTask } from './worker-pool.ts';

/* The program of a worker thread: one answer for each task. It ends when its port is closed. */
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
  const columns = columnsOf(task);
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

function columnsOf({ number, buffer, sizes }: CheckTask): IndexColumns {
  if (known?.number !== number) known = { number, columns: viewColumns(buffer, sizes) };
  return known.columns;
}

function walk(task: WalkTask): Answer {
  const context = {
    root: task.root,
    fileSystem: diskFileSystem,
    racyRule: new RacyRule(task.beganMs),
    control: controlOf(task),
    privates: task.privates,
  };
  const { source, ends, unreadable } = walkPart(context, task.global, task.folders);
  const { sizes, bytes } = source.columns;
  const part = { buffer: bytes.buffer, sizes, rules: source.rules, ends, unreadable };
  return { kind: 'walked', part };
}

function controlOf({ control, maxEntries }: Task): ScanControl {
  // Only the main thread watches the clock; it sets the shared flag.
  return new ScanControl({ maxEntries, deadline: null, now: () => 0 }, control);
}
