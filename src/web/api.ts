import type {
  CheckpointJson,
  FileDiffJson,
  OperationJson,
  ReceiptJson,
  SessionJson,
  StateJson,
} from '../cli/json-shapes.ts';
import type {
  ExecutionKind,
  KnownExecution,
  RecordedAttempt,
  ShownExecution,
} from '../execution/index.ts';
import type {
  Attribution,
  BlobId,
  Change,
  ChangeOrigin,
  CheckpointId,
  Difference,
  DiffHunk,
  InspectedChange,
  LineCount,
  OnConflict,
  PlanAction,
  PrunePlan,
  RollbackPlan,
  RunningWork as Running,
  SessionSummary,
  StoreCheck,
  StoreProblem,
  StoreStats,
} from '../index.ts';

// The JSON API of `savepoint web`: for the server and for the page. All addresses begin with
// `/api`; `:p` is the id of a project. Every request but the first (`POST /api/key`) sends the key in the header
// `X-Savepoint-Key`, and every POST is `application/json`. Texts come as they are on record: the page shows them
// through `displayText` and never as HTML. `POST /api/key` with `{ token }`, the one-time token that comes in the
// address as `/#token=…`, is answered with `{ key }`. Times are ISO 8601 as with `--json`, except `at`: milliseconds since
// 1970, where there are thousands of them. Sequence numbers order everything; clocks order nothing.

/** A value of the engine in JSON: these of its times are ISO 8601. */
type WithTimes<T, Time extends keyof T> = Omit<T, Time> & {
  readonly [Key in Time]: string | Extract<T[Key], null>;
};

/** With every status of 400 and above. `code`: as in docs/errors.md, or one of `WebErrorCode`. */
export interface ErrorAnswer {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly path: string | null;
    readonly hint: string | null;
  };
}

/**
 * `key-missing`, `key-wrong` (401): get a new address with `savepoint web`. `request-refused` (403, 405, 415): not
 * from this page. `request-too-large` (413, 431). `not-found` (404): no such address. `content-too-large` (413).
 * `busy` (503): too many requests at once. `plan-unknown` (404): made by a server that has ended, or forgotten.
 */
export type WebErrorCode =
  | 'key-missing'
  | 'key-wrong'
  | 'request-refused'
  | 'request-invalid'
  | 'request-too-large'
  | 'not-found'
  | 'content-too-large'
  | 'busy'
  | 'plan-unknown'
  | 'unexpected';

/**
 * A path in a request: text, or the bytes in base64 of a name that is not UTF-8 (`pathBytes` of an answer has them
 * under the text that is shown). In a query `path=TEXT` or `pathBytes=BASE64`.
 */
export type PathRef = string | { readonly bytes: string };

/** Bytes in base64, under each path of the answer that is not UTF-8. */
export type PathBytes = Readonly<Record<string, string>>;

// --- Projects -----------------------------------------------------------------------------------------------------

/** `GET /api/projects`: every project with a store in this home, most recently active first. */
export interface ProjectsAnswer {
  /** Where all stores are. */
  readonly home: string;
  /** Of Savepoint. */
  readonly version: string;
  /** The project in whose folder `savepoint web` was called, if it is one. */
  readonly here: string | null;
  readonly projects: readonly ProjectJson[];
}

export interface ProjectJson {
  /** For addresses; stays the same as long as the folder keeps its path. */
  readonly id: string;
  readonly root: string;
  /** The last part of the root. */
  readonly name: string;
  readonly lastActiveAt: string | null;
  /** Each agent once, most recently active first. */
  readonly agents: readonly string[];
  readonly sessions: number;
  readonly checkpoints: number;
  /** Whether a command or a tool runs there now. */
  readonly running: boolean;
  /**
   * `missing`: the folder is gone; what is on record can be looked at no more than its place. `mismatch`: another
   * folder has its path. `damaged`: the store cannot be opened; `savepoint fsck` says more.
   */
  readonly health: 'ok' | 'missing' | 'mismatch' | 'damaged';
  /** What is wrong and what to do, where something is. */
  readonly problem: ErrorAnswer['error'] | null;
}

// --- Timeline -----------------------------------------------------------------------------------------------------

/**
 * `GET /api/projects/:p/timeline?limit=&before=&text=&path=&agent=&session=&since=&until=&kind=`. All are left out or
 * set; `agent`, `session` and `kind` may be repeated. `before`: only checkpoints with a smaller seq, for the next
 * page. `kind` left out: all but `safety`. `limit`: 10,000 by default and at most 50,000. `text`: in the prompt or the label, without regard to case.
 * `path`: only where this file, or one below, changed. `since` and `until`: ISO 8601.
 */
export interface TimelineQuery {
  readonly limit?: number;
  readonly before?: number;
  readonly text?: string;
  readonly path?: PathRef;
  readonly agent?: readonly string[];
  readonly session?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly kind?: readonly TimelinePoint['kind'][];
}

export interface TimelineAnswer {
  /** The newest number on record when this was read: what `events?since=` takes. */
  readonly seq: number;
  /** Sessions with a point below, most recently active first. `TimelinePoint.lane` is a place in this list. */
  readonly lanes: readonly Lane[];
  /** Newest first. */
  readonly points: readonly TimelinePoint[];
  /** Newest first, all of the time between the first and the last point (all, where nothing is filtered). */
  readonly operations: readonly TimelineOperation[];
  /** Commands and tools that are at work now. */
  readonly running: readonly RunningWork[];
  /** Where the files stand: the newest checkpoint whose work is in them. */
  readonly current: CheckpointId | null;
  /** The operation or run that Undo would take back; null for none. Undo by `PlanRequest` with kind `undo`. */
  readonly undo: Undoable | null;
  /**
   * The seq to ask for next with `before`; null where there are no older ones. A filter looks at 50,000 checkpoints at
   * once, so that an answer can be short, or empty, and have a next one.
   */
  readonly next: number | null;
}

export interface Lane extends SessionJson {
  /** A single command or prompt that nobody goes on from. */
  readonly isRun: boolean;
  /** The execution whose steps the session records; null for none. */
  readonly executionId: string | null;
  readonly running: boolean;
}

/** A checkpoint, short: there may be ten thousand. What has its usual value is left out. */
export interface TimelinePoint
  extends Pick<CheckpointJson, 'id' | 'seq' | 'kind'>,
    // Where the lines were counted before; ask `LinesAnswer` for others.
    Partial<LineCount> {
  /** In `lanes`; left out where it belongs to no session. */
  readonly lane?: number;
  readonly at: number;
  /** The first line of the prompt, cut at 160 characters. */
  readonly title: string;
  readonly label?: string;
  /** Files that changed under it; left out for none. */
  readonly files?: number;
  readonly takenBack?: 'partly' | 'yes';
  readonly imported?: true;
}

export interface TimelineOperation extends OperationJson {
  readonly at: number;
  /** The checkpoints whose work it took back, wholly or in part; for an undo, brought back. */
  readonly tookBack: readonly CheckpointId[];
}

export interface RunningWork extends Omit<Running, 'createdAt'> {
  readonly since: string;
}

export interface Undoable {
  readonly kind: 'operation' | 'run';
  readonly id: string;
  readonly description: string;
  readonly createdAt: string;
}

/** `POST /api/projects/:p/lines`: counts lines under these checkpoints, at most 500. Reads only. */
export interface LinesRequest {
  readonly ids: readonly string[];
}

export interface LinesAnswer {
  /** Under the id. What would take too long is left out: ask again. */
  readonly lines: Readonly<Record<string, LineCount>>;
}

// --- One checkpoint -----------------------------------------------------------------------------------------------

/** `GET /api/projects/:p/checkpoints/:ref`; `ref` as `savepoint show` takes it. */
export interface CheckpointAnswer {
  /** `description` is the whole prompt. */
  readonly checkpoint: CheckpointJson;
  readonly current: boolean;
  readonly session: SessionJson | null;
  /** Tool calls and commands in order; those that changed nothing are not on record. */
  readonly calls: readonly ToolCall[];
  /** What became of each file from before the first to after the last change, by path. Renames are found. */
  readonly files: readonly ChangedFile[];
  /** Its neighbours in the same session, for the keyboard. */
  readonly previous: CheckpointId | null;
  readonly next: CheckpointId | null;
  readonly pathBytes: PathBytes;
}

/** `toolCallId` is null for changes whose call nobody named. */
export interface ToolCall extends Pick<Change, 'toolCallId' | 'subagentId' | 'origin'> {
  /** The command, while it is on record; null for a tool that named its files. */
  readonly command: string | null;
  readonly at: number;
  readonly running: boolean;
  readonly changes: readonly CallChange[];
}

/**
 * `seq` names the change. `attribution` is `exact`: a tool named the file; `inferred`: one command was running;
 * `shared`: not certain who did it.
 */
export interface CallChange
  extends Pick<InspectedChange, 'seq' | 'attribution' | 'takenBack' | keyof LineCount> {
  readonly path: string;
  readonly change: 'created' | 'deleted' | 'modified' | 'running';
}

export interface ChangedFile extends LineCount {
  readonly path: string;
  readonly status: FileDiffJson['status'];
  /** With the status `renamed`: the name that it had. */
  readonly from?: string;
  /** The least certain of its changes. */
  readonly attribution: Attribution;
  readonly takenBack: CheckpointJson['takenBack'];
  /** Git ignores it, and it was kept all the same: think before you show it to others. */
  readonly private: boolean;
  readonly after: SideState;
}

/** A state with the id under which its content can be asked for. */
export type SideState = null | (Exclude<StateJson, null> & { readonly blob?: BlobId | null });

/**
 * `GET /api/projects/:p/checkpoints/:ref/diff?path=`, of one file under one checkpoint; `from=` (the old name) for a
 * rename. `GET /api/projects/:p/changes/:seq/diff?path=`, of one change of a file.
 */
export interface DiffAnswer {
  readonly path: string;
  readonly from?: string;
  readonly status: ChangedFile['status'];
  readonly before: Side;
  readonly after: Side;
  readonly pathBytes: PathBytes;
}

/** One side of a diff. */
export interface Side {
  readonly state: SideState;
  /** Null where it is not text, not on record, or too large (2 MiB); then `blob` and `why` say more. */
  readonly text: string | null;
  readonly why:
    | 'binary'
    | 'image'
    | 'too-large'
    | 'damaged'
    | 'unknown'
    | 'absent'
    | 'folder'
    | null;
  /** Where it is an image that browsers show: its type for `BLOB`. */
  readonly image: string | null;
}

/**
 * `GET /api/projects/:p/blobs/:blob?type=`: bytes, at most so many. Fetch them with the key and show them with
 * `URL.createObjectURL` in an `<img>`, which runs no script of an SVG. `type`: that of an image as `Side` has it; else
 * they are `application/octet-stream`.
 */
export const MAX_BLOB_BYTES: number = 16 * 1024 * 1024;

// --- Plans: rewind, undo -----------------------------------------------------------------------------------------

/** `POST /api/projects/:p/plans`: plans and changes nothing. The server scans the worktree first, as the command does. */
export type PlanRequest =
  | (PlanChoices & {
      readonly kind: 'rewind';
      /** A checkpoint, as `savepoint rewind` takes it. */
      readonly to: string;
      /** `since` (left out): all that the session did since. `message`: this prompt alone. `exact`: the whole tree. */
      readonly take?: 'since' | 'message' | 'exact';
      /** These files and folders alone. */
      readonly paths?: readonly PathRef[];
      /** For these files, only the hunks with these ids of `PlanHunk`; a file that is not listed goes whole. */
      readonly hunks?: readonly { readonly path: PathRef; readonly take: readonly string[] }[];
    })
  | (PlanChoices & {
      readonly kind: 'undo';
      /** Left out: the last operation or run. */
      readonly operationId?: string;
    })
  /** Of an execution; a conflict fails it. */
  | {
      readonly kind: 'rollback';
      readonly executionId: string;
      readonly executionKind: ExecutionKind;
      /** The last step to keep; -1 for none. */
      readonly to: number;
    };

export interface PlanChoices {
  /** Left out: files in conflict that nobody decided about stay as they are, as with the command. */
  readonly onConflict?: OnConflict;
  readonly resolutions?: readonly ResolutionJson[];
  /** Also changes of which it is not certain who made them. */
  readonly includeShared?: boolean;
  /** Go ahead although a tool call of the session is running. */
  readonly force?: boolean;
}

/** `keep`: mine, the file as it is. `restore`: theirs, what the rewind brings. `content`: both, or edited. */
export interface ResolutionJson {
  readonly path: PathRef;
  readonly take: 'keep' | 'restore' | { readonly content: string };
  /** `PlanLineJson.stamp` of the line that the person looked at. */
  readonly stamp: string;
}

export interface PlanAnswer {
  /** Names the plan for `PlanLineAnswer` and `ApplyRequest`; kept for 30 minutes, and until it is applied. */
  readonly planId: string;
  /** Vouches for all that the plan does: `ApplyRequest` repeats it, so nothing is applied that was not seen. */
  readonly digest: string;
  readonly kind: PlanRequest['kind'];
  readonly description: string;
  /** By path. */
  readonly lines: readonly PlanLineJson[];
  readonly notes: ReceiptJson['notes'];
  /** How many lines do what. `conflicts`: undecided ones, which stay as they are. */
  readonly counts: {
    readonly work: number;
    readonly merges: number;
    readonly conflicts: number;
    readonly left: number;
  };
  /** Made with `force` although a tool call may be at work. Without it, that is 409 `session-busy`. */
  readonly busy: boolean;
  /** For a rollback: the steps that are taken back, and effects that stay done. */
  readonly rollback: {
    readonly steps: readonly Pick<RecordedAttempt, 'index' | 'name'>[];
    readonly effects: readonly WithTimes<RollbackPlan['effects'][number], 'declaredAt'>[];
  } | null;
  readonly pathBytes: PathBytes;
}

/** The lines that it counts come and go when it is carried out. */
export interface PlanLineJson extends LineCount {
  /** Its place in `lines`, for the address of its details. */
  readonly index: number;
  readonly path: string;
  readonly action: PlanAction;
  /** Why it is in conflict or left; a code, and the same for people. */
  readonly reason: string | null;
  readonly message: string | null;
  readonly now: SideState;
  /** A conflict that a person can decide with `resolutions`. */
  readonly decidable: boolean;
  /** What was decided about it in the request. */
  readonly decided: 'keep' | 'restore' | 'content' | null;
  /** Names the state on disk that the line is about. */
  readonly stamp: string;
  /** Whether hunks can be chosen, and how many of them this plan takes. */
  readonly hunks: { readonly total: number; readonly taken: number } | null;
  /** How many lines of the file stay that the person wrote (see `PlanLineAnswer.stays`). */
  readonly stays: number;
  /** It also takes back what somebody did since the last record. */
  readonly takesUnrecorded: boolean;
}

/** `GET /api/projects/:p/plans/:planId/lines/:index` */
export interface PlanLineAnswer {
  /** The file as it is on disk, and as it will be. */
  readonly now: Side;
  readonly target: Side;
  /** Of a decidable conflict between texts: the file in pieces. */
  readonly conflict: ConflictJson | null;
  /** Where hunks can be chosen: each with its id, in order. */
  readonly hunks: readonly PlanHunk[];
  /** Lines of `target` that the person wrote since the state that the rewind returns to. */
  readonly stays: readonly LineRange[];
}

/** Counts from 1; both ends are in it. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface ConflictJson {
  /** What the rewind would bring, and what is there. */
  readonly rewound: Side;
  readonly now: Side;
  /** Null where they are not both text: then only `keep` and `restore` are possible. */
  readonly pieces: readonly ConflictPiece[] | null;
}

/** Lines that both sides have, or lines to decide about. `mine` is on disk, `theirs` is what the rewind brings. */
export type ConflictPiece =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'conflict'; readonly mine: string; readonly theirs: string };

/** What a rewind takes back of one place of a file; `remove` lines go, `add` lines come back. */
export interface PlanHunk extends DiffHunk {
  readonly id: string;
  /** `mode`: the permissions alone. `whole`: the file cannot be divided. Both may have no lines to show. */
  readonly kind: 'lines' | 'mode' | 'whole';
  readonly taken: boolean;
}

/** `POST /api/projects/:p/plans/:planId/apply`: carries out exactly that plan, or 409 `plan-stale`. */
export interface ApplyRequest {
  readonly digest: string;
  /** Of a rollback: go ahead although effects stay done. */
  readonly acceptEffects?: boolean;
}

export interface ApplyAnswer {
  readonly receipt: ReceiptJson;
  /** For the Undo at the top of the page; null where nothing was done. */
  readonly undo: Undoable | null;
  readonly seq: number;
}

// --- One file -----------------------------------------------------------------------------------------------------

/** `GET /api/projects/:p/file?path=`: its life across agents and people, newest first, with its earlier names. */
export interface FileAnswer {
  readonly path: string;
  /** What is there now. */
  readonly now: SideState;
  /** Names that it had before, newest first. */
  readonly earlierNames: readonly string[];
  readonly private: boolean;
  readonly events: readonly FileEvent[];
  readonly pathBytes: PathBytes;
}

/** `path` is the name that it had then. */
export interface FileEvent extends Omit<CallChange, 'change'> {
  readonly at: number;
  readonly change: CallChange['change'] | 'renamed';
  /** With the change `renamed`: the name that it had before. */
  readonly from?: string;
  /** `outside`: you, or a program that nobody recorded. */
  readonly origin: ChangeOrigin;
  readonly author: Author;
}

/** Who did something, as a reader looks for it. */
export interface Author {
  /** `you`: nobody that is on record. `before`: there already when recording began. */
  readonly kind: 'agent' | 'operation' | 'you' | 'before' | 'unknown';
  readonly agent: string | null;
  readonly checkpointId: CheckpointId | null;
  /** The first line of the prompt, or of the operation's description. */
  readonly title: string | null;
  readonly at: number | null;
}

/** `GET /api/projects/:p/why?path=`: for every line of the file as it stands now, who wrote it. */
export interface WhyAnswer {
  readonly path: string;
  readonly now: Side;
  /** Each once; `LineOrigin.author` is a place in this list. */
  readonly authors: readonly Author[];
  /** In order, without gaps: all lines of the file. */
  readonly lines: readonly LineOrigin[];
  readonly pathBytes: PathBytes;
}

export interface LineOrigin extends LineRange {
  readonly author: number;
  /** The change that brought them; null where no change is on record. */
  readonly seq: number | null;
}

// --- Executions ---------------------------------------------------------------------------------------------------

/** `GET /api/projects/:p/executions`, most recently updated first. As `savepoint executions list --json`. */
export interface ExecutionsAnswer {
  readonly executions: readonly ExecutionJson[];
  /** Ids of checkpoints that cannot be read. */
  readonly damaged: readonly string[];
}

export type ExecutionJson = WithTimes<KnownExecution, 'updatedAt'>;

/** `GET /api/projects/:p/executions/:kind/:id` */
export interface ExecutionAnswer {
  readonly execution: ExecutionJson &
    WithTimes<Pick<ShownExecution, 'createdAt' | 'sessionId' | 'parent'>, 'createdAt'>;
  readonly steps: readonly StepJson[];
  /** What can be done with it now, and why not. */
  readonly can: {
    readonly rollback: boolean;
    readonly fork: boolean;
    readonly resume: boolean;
    readonly why: string | null;
  };
}

export interface StepJson extends Pick<RecordedAttempt, 'index' | 'name' | 'key' | 'status'> {
  readonly attempts: readonly AttemptJson[];
}

export interface AttemptJson
  extends WithTimes<Omit<RecordedAttempt, 'effects' | keyof StepJson>, 'startedAt' | 'endedAt'> {
  readonly status: StepJson['status'];
  readonly effects: readonly WithTimes<RecordedAttempt['effects'][number], 'declaredAt'>[];
}

/**
 * `GET /api/projects/:p/executions/:kind/:id/state?step=N`: state, variables and context after a step as a tree, and
 * where they differ from those after the step before.
 */
export interface StateAnswer {
  readonly tree: StateNode;
  readonly differences: readonly (Difference & {
    readonly before: string | null;
    readonly after: string | null;
  })[];
}

/** A value as a tree. At most 20,000 nodes and 10,000 characters of a text are sent; `cut` says where more is. */
export interface StateNode {
  /** The name or place in its parent; empty for the root. */
  readonly key: string;
  /** `tag`: what JSON lacks, such as a date or bytes, shown as text. */
  readonly kind: 'object' | 'array' | 'text' | 'number' | 'boolean' | 'null' | 'tag';
  /** Of a leaf: what it is, as text. */
  readonly value?: string;
  readonly size?: number;
  readonly cut?: true;
  readonly children?: readonly StateNode[];
}

/** `POST /api/projects/:p/executions/:kind/:id/resume`: what `savepoint executions resume` does; first with `dryRun`. */
export interface ResumeAnswer {
  readonly dryRun: boolean;
  readonly done: number;
  /** The step that the program will go on with. */
  readonly next: number;
  readonly rolledBack: readonly Pick<RecordedAttempt, 'index' | 'name'>[];
  readonly files: readonly string[];
  readonly pathBytes: PathBytes;
}

/** `POST /api/projects/:p/executions/:kind/:id/fork`: a new execution after the first steps of this one. */
export interface ForkRequest {
  /** The id of the new one. */
  readonly id: string;
  /** The last step that both have in common; -1 for none. */
  readonly step: number;
}

export interface ForkAnswer {
  readonly id: string;
  readonly parent: { readonly id: string; readonly step: number };
}

// --- Store --------------------------------------------------------------------------------------------------------

/** `GET /api/projects/:p/store` */
export interface StoreAnswer {
  readonly diskBytes: number;
  readonly stats: StoreStats;
  /** Most bytes first. What several sessions share counts for each of them. */
  readonly sessions: readonly (Pick<SessionJson, 'id' | 'agent' | 'lastActiveAt'> &
    Pick<SessionSummary, 'checkpoints' | 'files'> & {
      /** Contents that it brought, before compression. */
      readonly contentBytes: number;
    })[];
  readonly settings: readonly SettingJson[];
  readonly problems: readonly string[];
}

/** As `savepoint config --json`. */
export interface SettingJson {
  readonly key: string;
  /** As a person writes it. */
  readonly value: string;
  readonly origin: 'default' | 'user' | 'project' | 'environment';
  /** The file or the variable; null for a default. */
  readonly source: string | null;
  readonly summary: string;
}

/** `POST /api/projects/:p/prune`: what prune would remove; removes nothing. Left out: what retention no longer keeps. */
export interface PruneRequest {
  readonly olderThanDays?: number;
  readonly keep?: number;
  readonly maxBytes?: number;
  readonly sessionId?: string;
}

export interface PruneAnswer extends Omit<PrunePlan, 'checkpoints' | 'operations'> {
  readonly checkpoints: number;
  readonly operations: number;
  readonly diskBytes: number;
}

/** `POST /api/projects/:p/fsck`: looks at everything and changes nothing. As `savepoint fsck --json`. */
export interface FsckAnswer extends Omit<StoreCheck, 'problems'> {
  readonly problems: readonly (Omit<StoreProblem, 'paths'> & {
    readonly paths: readonly string[];
  })[];
  readonly pathBytes: PathBytes;
}

// --- Live ---------------------------------------------------------------------------------------------------------

/**
 * `GET /api/projects/:p/events?since=SEQ`: server-sent events (`text/event-stream`), read with `fetch` because
 * `EventSource` cannot send the key. Each `data:` is one `LiveEvent`. A comment comes every 15 seconds. A browser opens
 * at most six connections to one place: a page that is hidden ends its stream, and asks with `since` again later.
 */
export type LiveEvent =
  /** First, and again after each change: ask `timeline` for what is newer. */
  | {
      readonly type: 'changed';
      readonly seq: number;
      /** Checkpoints that are new or changed since `since`, at most 200; null: more than that, ask for all. */
      readonly checkpoints: readonly CheckpointId[] | null;
      /** Operations happened: what is taken back may be another. */
      readonly operations: boolean;
    }
  | { readonly type: 'running'; readonly running: readonly RunningWork[] }
  /** Executions or their steps changed. */
  | { readonly type: 'executions' }
  /** The project cannot be read any more; the stream ends. */
  | { readonly type: 'gone'; readonly error: ErrorAnswer['error'] };
