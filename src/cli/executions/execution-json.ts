import type { KnownExecution, KnownStep } from '../../execution/index.ts';
import {
  COUNT,
  described,
  exact,
  type Kind,
  listOf,
  nullable,
  type ObjectKind,
  oneOf,
  optional,
  TEXT,
} from '../../model/check.ts';
import type { Call } from '../command.ts';
import { PathNames, printJson } from '../json.ts';
import { EXECUTION_KIND, PATH, PATH_BYTES, TIME, timeJson } from '../json-shapes.ts';

export interface ExecutionJson extends Omit<KnownExecution, 'updatedAt'> {
  readonly updatedAt: string;
}

export const STEP_STATUS: Kind<KnownStep['status']> = oneOf(
  'running',
  'success',
  'failed',
  'cancelled',
  'killed',
  'rolled-back',
  'pending',
);

export const EXECUTION: ObjectKind<ExecutionJson> = exact({
  id: TEXT,
  kind: EXECUTION_KIND,
  status: described(
    'Of durable steps: `running` while a process holds it, else `open`, `finished` or `cancelled`. Of checkpoints: how the last step ended.',
    oneOf('running', 'open', 'finished', 'cancelled', 'success', 'failed', 'pending'),
  ),
  done: described('How many steps succeeded and were not rolled back.', COUNT),
  last: described(
    'The last step that was begun; null where none was.',
    nullable(exact({ index: COUNT, name: TEXT, status: STEP_STATUS })),
  ),
  updatedAt: TIME,
  holder: described(
    'The process that goes on with it at this moment.',
    nullable(exact({ host: TEXT, processId: COUNT })),
  ),
});

export function executionJson(execution: KnownExecution): ExecutionJson {
  const { id, kind, status, done, last, updatedAt, holder } = execution;
  return { id, kind, status, done, last, updatedAt: timeJson(updatedAt), holder };
}

export interface ResumedJson {
  readonly id: string;
  readonly kind: KnownExecution['kind'];
  readonly dryRun?: true;
  readonly done: number;
  readonly next: number;
  readonly checkpointId: string | null;
  readonly rolledBack: readonly {
    readonly index: number;
    readonly name: string;
    readonly attempt: number | null;
  }[];
  readonly operationIds: readonly string[];
  readonly files: readonly string[];
  readonly pathBytes: Readonly<Record<string, string>>;
}

export const RESUMED: Kind<ResumedJson> = exact({
  id: TEXT,
  kind: EXECUTION_KIND,
  dryRun: optional(described('Only with --dry-run: this is what would be done.', oneOf(true))),
  done: described('How many steps are done.', COUNT),
  next: described('The step that the program will go on with.', COUNT),
  checkpointId: described('Of checkpoints: what `resumeFromCheckpoint` takes.', nullable(TEXT)),
  rolledBack: described(
    'What had not succeeded, and was taken back.',
    listOf(
      exact({
        index: COUNT,
        name: TEXT,
        attempt: described(
          'Null for a step of checkpoints, all attempts of which count no more.',
          nullable(COUNT),
        ),
      }),
    ),
  ),
  operationIds: described('The operations that did it.', listOf(TEXT)),
  files: described('What was put back.', listOf(PATH)),
  pathBytes: PATH_BYTES,
});

/** Prints for programs what was made ready, or would be. */
export function printResumed(call: Call, resumed: Omit<ResumedJson, 'dryRun' | 'pathBytes'>): void {
  const names = new PathNames();
  printJson(call, RESUMED, {
    ...resumed,
    ...(call.flags.has('dry-run') ? { dryRun: true } : {}),
    files: resumed.files.map((path) => names.name(path)),
    // Last: it is complete only once every name was asked for.
    pathBytes: names.pathBytes,
  });
}
