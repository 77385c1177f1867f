import type { Change } from '../model/change.ts';
import {
  AMOUNT,
  anyOf,
  BINARY,
  BOOLEAN,
  COUNT,
  ID,
  integer,
  type Kind,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  TEXT,
  unchecked,
} from '../model/check.ts';
import type { Conversation } from '../model/checkpoint.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { type Decision, ON_CONFLICT, type OnConflict, type RewindPlan } from '../model/plan.ts';
import type { OnProgress } from '../model/progress.ts';
import { STATE, type State } from '../model/state.ts';

/** The settings of an embedding program. All have defaults. */
export interface SavepointSettings {
  readonly now: () => number;
  /** Larger files are not recorded; captures and scans name them. */
  readonly maxFileSize: number;
  /** Larger files are not replaced by a rewind, because it must keep the files that it replaces. */
  readonly maxSafetySize: number;
  /** A folder that a tool names is not recorded if it has more entries than this. */
  readonly maxEntries: number;
  /** How long to wait for another process before `store-locked`. */
  readonly lockTimeoutMs: number;
  /** Whether checkpoints and ends of turns scan the worktree, to find changes that no tool named. */
  readonly scan: boolean;
  /** The worktree is not scanned if it has more files and folders in scope than this. */
  readonly maxScanEntries: number;
  /** How many bytes the first scan may copy. */
  readonly maxCopyBytes: number;
  /** How long a scan may take before it leaves a gap; null for as long as it takes. */
  readonly scanDeadlineMs: number | null;
  /** Threads that share the work of scanning a large worktree. */
  readonly scanWorkers: number;
  /** HOME, XDG_CONFIG_HOME and PATH decide which global ignore rules count and which git is run. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Is called once for the walk of a scan, then for each path that is recorded, copied, planned, restored
   * or materialized, and for each content of an export or import.
   */
  readonly onProgress: OnProgress | undefined;
  /** Whether scans keep small files that git ignores, too. They are private, and never in an export. */
  readonly keepIgnored: boolean;
  /** Patterns as in .gitignore: files that fit are never read, only their existence is recorded. */
  readonly exclude: readonly string[];
}

const MIB = 1024 * 1024;
export const DEFAULT_SETTINGS: SavepointSettings = {
  now: Date.now,
  maxFileSize: 10 * MIB,
  maxSafetySize: 100 * MIB,
  maxEntries: 10_000,
  lockTimeoutMs: 30_000,
  scan: false,
  maxScanEntries: 300_000,
  maxCopyBytes: 2048 * MIB,
  scanDeadlineMs: null,
  scanWorkers: 2,
  environment: {},
  onProgress: undefined,
  keepIgnored: true,
  exclude: [],
};

/** A name as a caller has it: relative to the project or absolute; bytes where it is not UTF-8. */
export type NamedPath = string | Uint8Array;

/** Each path is checked where it becomes one of ours, in `model/path.ts`. */
export const NAMED_PATHS: Kind<readonly NamedPath[]> = listOf(unchecked<NamedPath>());

/** What is told of a session and a message by the first call that mentions them. */
export interface Mention {
  readonly agent?: string | undefined;
  readonly parentSessionId?: string | undefined;
  /** Describes the message, or else the checkpoint. */
  readonly description?: string | undefined;
}

/** The same, for calls that can begin a run. */
export interface RunMention extends Mention {
  /**
   * The session is a single run: one command, or one prompt that nobody goes on from. A rewind to a run also
   * takes back the runs that began after it had ended. False makes a session a conversation again.
   */
  readonly isRun?: boolean | undefined;
}

const MENTION = {
  agent: optional(ID),
  parentSessionId: optional(ID),
  description: optional(TEXT),
};

const RUN_MENTION = { ...MENTION, isRun: optional(BOOLEAN) };

/**
 * The agent, for a caller that ends before the agent's work does. `processId`: its process on this machine. `leaseMs`:
 * for how long it counts as alive where nobody knows its process. When it has ended, so have its calls.
 */
export type OwnerRequest = { readonly processId: number } | { readonly leaseMs: number };

/** The work that a call is part of. */
export interface WorkMention {
  readonly owner?: OwnerRequest | undefined;
  /** The sub-agent that works for the session. It may go on when a turn ends. */
  readonly subagentId?: string | undefined;
  /**
   * Later calls can have the same `toolCallId`, as where it is made from the input of the tool. A call of this name
   * that is open is then an earlier one, and it has ended at a time that nobody knows.
   */
  readonly toolCallIdRepeats?: boolean | undefined;
}

export const OWNER: Kind<OwnerRequest> = anyOf(
  object({ processId: COUNT }),
  object({ leaseMs: AMOUNT }),
);

const WORK_MENTION = {
  owner: optional(OWNER),
  subagentId: optional(ID),
  toolCallIdRepeats: optional(BOOLEAN),
};

const CONVERSATION: Kind<Conversation> = object({
  id: nullable(TEXT),
  promptId: nullable(TEXT),
  turnId: nullable(TEXT),
  transcriptPath: nullable(TEXT),
});

export interface CaptureRequest extends Mention, WorkMention {
  readonly sessionId: string;
  readonly messageId: string;
  readonly paths: readonly NamedPath[];
  /** Names the tool call. A session with a running tool call is not rewound. */
  readonly toolCallId?: string | undefined;
  readonly maxFileSize?: number | undefined;
  /** Keeps texts uncompressed, so that the view `file_checkpoints` shows them to programs that use SQL. */
  readonly asText?: boolean | undefined;
}

export const CAPTURE_REQUEST: Kind<CaptureRequest> = object({
  ...MENTION,
  ...WORK_MENTION,
  sessionId: ID,
  messageId: ID,
  paths: NAMED_PATHS,
  toolCallId: optional(ID),
  maxFileSize: optional(AMOUNT),
  asText: optional(BOOLEAN),
});

/** An open capture: the states before a tool ran. */
export interface Capture {
  readonly checkpointId: CheckpointId;
  /** One for each entry; the first belongs to the first path that was named. */
  readonly changes: readonly Change[];
  /** Named paths whose content could not be recorded; their changes say why. */
  readonly skipped: readonly TrackedPath[];
}

/** A capture that a caller hands back. Only these fields are used; the timeline knows the author. */
export const CAPTURE: Kind<unknown> = object({
  changes: listOf(object({ path: TEXT, seq: AMOUNT, before: object({ kind: TEXT }) })),
});

export interface CheckpointRequest extends RunMention {
  /** Without it, the checkpoint belongs to no session. */
  readonly sessionId?: string | undefined;
  readonly messageId?: string | undefined;
  /** Not the beginning of an id, `latest`, or anything that ends like `~1`. */
  readonly label?: string | undefined;
  /** Whether to scan the worktree first; by default as the settings say. */
  readonly scan?: boolean | undefined;
  /** False: where no first scan was made before, the checkpoint gets a gap instead of making it. */
  readonly baseline?: boolean | undefined;
  /** The agent of the session. */
  readonly owner?: OwnerRequest | undefined;
  readonly conversation?: Conversation | undefined;
}

export const CHECKPOINT_REQUEST: Kind<CheckpointRequest> = object({
  ...RUN_MENTION,
  sessionId: optional(ID),
  messageId: optional(ID),
  label: optional(TEXT),
  scan: optional(BOOLEAN),
  baseline: optional(BOOLEAN),
  owner: optional(OWNER),
  conversation: optional(CONVERSATION),
});

/** A command that may write anything is about to run. */
export interface WindowRequest extends RunMention, WorkMention {
  readonly sessionId: string;
  readonly messageId: string;
  readonly toolCallId?: string | undefined;
  /** The command runs within this process: if the process ends, so does the window. */
  readonly inThisProcess?: boolean | undefined;
  /** False: where no first scan was made before, there is a gap before the command instead of that scan. */
  readonly baseline?: boolean | undefined;
  readonly conversation?: Conversation | undefined;
}

export const WINDOW_REQUEST: Kind<WindowRequest> = object({
  ...RUN_MENTION,
  ...WORK_MENTION,
  sessionId: ID,
  messageId: ID,
  toolCallId: optional(ID),
  inThisProcess: optional(BOOLEAN),
  baseline: optional(BOOLEAN),
  conversation: optional(CONVERSATION),
});

/** A tool call, by the name that the agent gave it. */
export interface CallRequest {
  readonly sessionId: string;
  readonly toolCallId: string;
}

export const CALL_REQUEST: Kind<CallRequest> = object({ sessionId: ID, toolCallId: ID });

/** Which turn has ended. */
export interface EndTurnRequest {
  /** Only what was begun for this message; otherwise for any. */
  readonly messageId?: string | undefined;
  /** The turn of this sub-agent; otherwise of the agent itself, and its sub-agents go on. */
  readonly subagentId?: string | undefined;
  /** The turn is interrupted at this very moment, so that what was done until now is the agent's. */
  readonly interrupted?: boolean | undefined;
  /** False: does not make the first scan. */
  readonly baseline?: boolean | undefined;
}

export const END_TURN_REQUEST: Kind<EndTurnRequest> = object({
  messageId: optional(ID),
  subagentId: optional(ID),
  interrupted: optional(BOOLEAN),
  baseline: optional(BOOLEAN),
});

/** A person's decision about one conflict of a plan. */
export interface Resolution {
  readonly path: NamedPath;
  readonly take: Decision;
  /**
   * The state that the person decided about: `expected` in the line of the plan. If the path has another one by
   * now, `plan-stale` is thrown. Without it, the decision is about whatever is there.
   */
  readonly seen?: State | undefined;
}

/** The hunks of one path that a rewind takes back; the rest of what it would take back there stays. */
export interface HunkChoice {
  readonly path: NamedPath;
  /** Of `planHunks`. None: the path stays as it is. */
  readonly ids: readonly string[];
}

export interface PlanOptions {
  readonly onConflict?: OnConflict | undefined;
  /** For paths in conflict, in place of `onConflict`. Throws where there is no conflict. */
  readonly resolutions?: readonly Resolution[] | undefined;
  /** Go ahead although a tool call of the session is running. */
  readonly force?: boolean | undefined;
}

const RESOLUTION: Kind<Resolution> = object({
  path: unchecked<NamedPath>(),
  take: anyOf(oneOf('keep', 'restore'), object({ content: BINARY })),
  seen: optional(STATE),
});

const PLAN_FIELDS = {
  onConflict: optional(oneOf(...ON_CONFLICT)),
  resolutions: optional(listOf(RESOLUTION)),
  force: optional(BOOLEAN),
};

export const PLAN_OPTIONS: Kind<PlanOptions> = object(PLAN_FIELDS);

/**
 * Gets the plan before anything is touched. Unless it returns true, everything stays as it is. The project
 * stays locked meanwhile: to ask a person, make a plan and `apply` it.
 */
export type Agree = (plan: RewindPlan) => boolean | Promise<boolean>;

/**
 * Another program's own rewind of the same files, which keeps books of its own. It runs when the intent is
 * on record. The plan decides what the files are afterwards, not that program.
 */
export interface AlongsideRequest {
  /** Every path that it may touch. If one of them is not on record, the program does not run. */
  readonly paths: readonly NamedPath[];
  run(): Promise<void>;
}

export interface RewindRequest extends PlanOptions {
  /** Id of a checkpoint, or what `resolve` accepts. */
  readonly to: string;
  /** `since`: all changes of the session since. `message`: only that message. `exact`: the tree as it was. */
  readonly take?: 'since' | 'message' | 'exact' | undefined;
  /**
   * With `since`: takes back what this session did, also where the checkpoint belongs to another or to
   * none. A note names what others changed since.
   */
  readonly sessionId?: string | undefined;
  readonly paths?: readonly NamedPath[] | undefined;
  readonly includeShared?: boolean | undefined;
  /** For paths that go back in part. Throws `hunk-not-found` where an id is not one of the path's hunks now. */
  readonly hunks?: readonly HunkChoice[] | undefined;
}

export const REWIND_REQUEST: Kind<RewindRequest> = object({
  ...PLAN_FIELDS,
  to: TEXT,
  take: optional(oneOf('since', 'message', 'exact')),
  sessionId: optional(TEXT),
  paths: optional(NAMED_PATHS),
  includeShared: optional(BOOLEAN),
  hunks: optional(listOf(object({ path: unchecked<NamedPath>(), ids: listOf(TEXT) }))),
});

export interface UndoRequest extends PlanOptions {
  /** Without it, the last one: an operation, or a command that was run under Savepoint. */
  readonly operationId?: string;
  /** Takes back shared changes of a command as well. */
  readonly includeShared?: boolean;
}

export const UNDO_REQUEST: Kind<UndoRequest> = object({
  ...PLAN_FIELDS,
  operationId: optional(ID),
  includeShared: optional(BOOLEAN),
});

/** Asks about all lines of a file, or from `first` to `last`; the first line of a file is 1. */
export interface WhyRequest {
  readonly path: NamedPath;
  readonly first?: number | undefined;
  /** By default the line `first` alone. */
  readonly last?: number | undefined;
}

export const WHY_REQUEST: Kind<WhyRequest> = object({
  path: unchecked<NamedPath>(),
  first: optional(integer(1)),
  last: optional(integer(1)),
});
