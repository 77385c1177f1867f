import type { Surroundings } from '../../config/find-project.ts';
import { openProjectTimeline } from '../../config/project-store.ts';
import { configurationOf } from '../../config/settings.ts';
import {
  type AlongsideRequest,
  type Checkpoint,
  type CheckpointId,
  type CountBudget,
  isOutside,
  type ListedCheckpoint,
  type Operation,
  type OperationId,
  type PathDiff,
  pathToBytes,
  type Receipt,
  type Resolution,
  type RewindPlan,
  type Savepoint,
  SavepointError,
  type TrackedPath,
} from '../../index.ts';
import { openGivenFile, writeNewFile } from '../../terminal/given-file.ts';
import { messageOf, plural } from '../../terminal/phrases.ts';
import { noteText } from '../../terminal/plan-text.ts';
import type { RewindableQuery } from '../sdk/conversation.ts';
import type { RewindCounts } from '../ui/interactive-ui.ts';
import { EngineExecutions } from './engine-executions.ts';
import { AGENT, type OnGap, type PromptBegun, ToolCalls } from './tool-calls.ts';

/** The SDK's part in a restore. */
export interface SdkRewind {
  readonly promptId: string;
  readonly query: RewindableQuery;
  /** `CheckpointManager.restoreCheckpoint`: it knows what the SDK's failures mean. */
  run(): Promise<void>;
}

/** For the menu of Esc Esc, where somebody waits. */
const OWN_BUDGET: CountBudget = { reads: 400, bytes: 32 * 1024 * 1024 };

interface OpenFiles {
  readonly project: string;
  readonly surroundings: Surroundings;
  readonly onGap: OnGap;
}

/** Opens the project's timeline for the agent. Throws where the folder cannot be a project. */
export async function openEngineFiles(parts: OpenFiles): Promise<EngineFiles> {
  const { project, surroundings, onGap } = parts;
  const { values, problems } = configurationOf(surroundings, project);
  const [problem] = problems;
  // The broken line may have excluded a file, which must not be recorded.
  if (problem !== undefined) throw problem;
  const savepoint = await openProjectTimeline(surroundings, { project, values, scan: true });
  return new EngineFiles(savepoint, onGap);
}

/** The engine as the interactive agent uses it: what the agent does to files, and the way back. */
export class EngineFiles {
  readonly #toolCalls: ToolCalls;
  /** What anybody may ask of it that is not about the agent. */
  readonly savepoint: Savepoint;
  readonly #onGap: OnGap;
  readonly #gaps = new Set<string>();
  readonly executions: EngineExecutions;
  /** Rewinds of this process to what belongs to no conversation here: executions, other sessions. */
  readonly #made = new Set<OperationId>();
  #rewound: string[] = [];

  constructor(savepoint: Savepoint, onGap: OnGap) {
    this.savepoint = savepoint;
    this.#onGap = (message) => {
      this.#gaps.add(message);
      onGap(message);
    };
    this.#toolCalls = new ToolCalls(savepoint, this.#onGap);
    this.executions = new EngineExecutions(savepoint, (paths, operationId) => {
      if (operationId !== null) this.#made.add(operationId);
      return this.#rewind(paths);
    });
  }

  /** What tells the engine of the agent's tool calls. */
  get hooks(): ToolCalls['hooks'] {
    return this.#toolCalls.hooks;
  }

  /** Whether the agent may be writing files now: what a person does meanwhile would count as the agent's. */
  get isAgentWriting(): boolean {
    return this.#toolCalls.isOpen;
  }

  /** Puts what the person has just done on record as theirs. */
  async personWrote(): Promise<void> {
    await this.savepoint.scanAgain().catch(this.#gap('what you changed is not on record yet'));
  }

  /** Files and folders of the project by the ignore rules; folders end in a slash. */
  paths(again: boolean): Promise<readonly string[]> {
    return this.savepoint.worktreePaths({ again });
  }

  /** A tool call is over, however it ended. Idempotent. */
  toolEnds(toolUseId: string): Promise<void> {
    return this.#toolCalls.ends(toolUseId);
  }

  /** Before a prompt is sent: what is there goes on record, and a checkpoint stands over it. */
  async promptBegins(prompt: PromptBegun): Promise<void> {
    const { sessionId, parentSessionId, promptId: messageId, description, isRun } = prompt;
    this.#toolCalls.promptBegins(prompt);
    const parent = parentSessionId === null ? {} : { parentSessionId };
    const request = { sessionId, messageId, description, isRun, agent: AGENT, ...parent };
    await this.savepoint.checkpoint(request).catch(this.#gap('the prompt has no checkpoint'));
  }

  async turnEnds(sessionId: string): Promise<void> {
    await this.#toolCalls.turnEnds();
    const gap = this.#gap('what the turn changed last is not on record yet');
    await this.savepoint.endTurn(sessionId).catch(gap);
  }

  /** Sub-agents at work, which may go on when a turn has ended. */
  get agentsAtWork(): number {
    return this.#toolCalls.agentsAtWork;
  }

  /** The agent's process has ended: nobody is at work any more. */
  async conversationEnds(sessionId: string): Promise<void> {
    await this.#toolCalls.conversationEnds();
    await this.turnEnds(sessionId);
  }

  /** Whether the engine can go back to the prompt with this uuid, whichever session's it is. */
  async holds(promptId: string): Promise<boolean> {
    return (await this.#checkpointOf(promptId)) !== null;
  }

  async plan(ref: string, resolutions: readonly Resolution[] = []): Promise<RewindPlan> {
    return this.savepoint.planRewind({ to: await this.#idOf(ref), force: true, resolutions });
  }

  /** What a checkpoint's message changed by itself, whoever changed it again since; null where nobody knows. */
  async ownCounts(ref: string): Promise<RewindCounts | null> {
    const [found] = await this.savepoint.list({ ids: [(await this.#idOf(ref)) as CheckpointId] });
    // Nothing belongs to one that was made by hand.
    if (found === undefined || found.kind === 'manual') return null;
    const lines = (await this.savepoint.countLines([found.id], OWN_BUDGET)).get(found.id);
    if (lines === undefined) return null;
    return { files: found.files, folders: found.folders, conflicts: 0, ...lines };
  }

  /** As `plan`, for a checkpoint that is no prompt of this conversation: others may be at work there. */
  planOther(id: string, resolutions: readonly Resolution[] = []): Promise<RewindPlan> {
    return this.savepoint.planRewind({ to: id, resolutions });
  }

  /** The checkpoint that an id, a label or a prompt's uuid names, whichever session's it is. */
  async find(ref: string): Promise<ListedCheckpoint> {
    const { id } = await this.savepoint.resolve(await this.#idOf(ref));
    const found = (await this.savepoint.list()).find((one) => one.id === id);
    if (found !== undefined) return found;
    throw new SavepointError('checkpoint-not-found', `no checkpoint has the id or label ${ref}`);
  }

  /**
   * Checkpoints that are no prompts of this conversation, newest first: those that it made by hand, and those
   * of other sessions. Executions are offered as such.
   */
  async otherCheckpoints(
    sessionId: string,
  ): Promise<{ readonly byHand: ListedCheckpoint[]; readonly ofOthers: ListedCheckpoint[] }> {
    const family = await sessionFamily(this.savepoint, sessionId);
    const executions = (await this.executions.list()).map(({ id }) => id);
    const all = (await this.savepoint.list()).filter(({ kind }) => kind !== 'safety');
    const isOf = (sessions: readonly string[], one: ListedCheckpoint): boolean =>
      one.sessionId !== null && sessions.includes(one.sessionId);
    return {
      byHand: all.filter((one) => one.kind === 'manual' && isOf(family, one)),
      ofOthers: all.filter(
        (one) => one.sessionId !== null && !isOf(family, one) && !isOf(executions, one),
      ),
    };
  }

  /** Scan, safety checkpoint, intent, the SDK's own rewind where there is one, then the plan's states. */
  async restore(plan: RewindPlan, sdk: SdkRewind | null): Promise<Receipt> {
    if (sdk === null) return this.#remember(await this.savepoint.apply(plan));
    const alongside = await alongsideOf(sdk, await this.#writtenByTools(sdk.promptId));
    return this.#remember(await this.savepoint.apply(plan, alongside));
  }

  /** As `restore`, for a plan of `planOther`: `/undo` takes it back, although it is not the conversation's. */
  async restoreOther(plan: RewindPlan): Promise<Receipt> {
    const receipt = await this.restore(plan, null);
    if (receipt.operationId !== null) this.#made.add(receipt.operationId);
    return receipt;
  }

  /** Paths that tools of the conversation wrote: the SDK's dry run does not name every file whose mode it sets. */
  async #writtenByTools(promptId: string): Promise<TrackedPath[]> {
    const sessionId = (await this.#checkpointOf(promptId))?.sessionId ?? '';
    const family = await sessionFamily(this.savepoint, sessionId);
    const changes = await this.savepoint.changes({ sessionIds: family });
    const written = changes.filter(({ origin, path }) => origin === 'tool' && !isOutside(path));
    return [...new Set(written.map(({ path }) => path))];
  }

  /** Of this conversation's rewinds the newest; what other agents rewound in the project stays. */
  async undo(sessionId: string): Promise<Receipt> {
    await this.savepoint.scanAgain();
    const { id: operationId } = await this.#rewindToUndo(sessionId);
    return this.#remember(await this.savepoint.undo({ operationId }));
  }

  async redo(sessionId: string): Promise<Receipt> {
    await this.savepoint.scanAgain();
    await this.#refuseForeignRedo(sessionId);
    return this.#remember(await this.savepoint.redo());
  }

  async diff(from: string, to?: string): Promise<readonly PathDiff[]> {
    await this.savepoint.scanAgain();
    const end = to === undefined ? undefined : await this.#idOf(to);
    return this.savepoint.diff(await this.#idOf(from), end);
  }

  save(description: string, sessionId: string): Promise<Checkpoint> {
    return this.savepoint.checkpoint({ sessionId, description, agent: AGENT });
  }

  /** As `save`, before files are overwritten: throws where not every file could be recorded. */
  async keepAll(description: string, sessionId: string): Promise<string> {
    const made = await this.save(description, sessionId);
    if (made.coverage === 'scanned') return made.id;
    throw new SavepointError('capture-failed', 'the files could not all be put on record first', {
      hint: 'nothing was changed; see: savepoint status',
    });
  }

  async label(ref: string, label: string | null): Promise<string> {
    return (await this.savepoint.label(await this.#idOf(ref), label)).id;
  }

  async exportTo(path: string, sessionId?: string): Promise<string> {
    const stream = this.savepoint.export({ sessionId });
    const { result } = await writeNewFile({ path, force: false }, stream, NEVER_INTERRUPTED);
    const what = [plural(result.checkpoints, 'checkpoint'), plural(result.changes, 'change')];
    return `written to ${path}: ${what.join(' and ')}`;
  }

  async importFrom(path: string): Promise<string> {
    const file = openGivenFile(path);
    try {
      const { imported, checkpoints } = await this.savepoint.import(file.chunks());
      const brought = plural(checkpoints, 'checkpoint was', 'checkpoints were');
      return imported ? `${brought} brought in` : 'all of it was here already';
    } finally {
      file.close();
    }
  }

  /** Paths that were rewound since the agent last heard of it; reading takes them away. */
  takeRewound(): readonly string[] {
    return [...new Set(this.#rewound.splice(0))];
  }

  /** As `takeRewound`, and they stay. */
  rewound(): readonly string[] {
    return [...new Set(this.#rewound)];
  }

  /** What could not be recorded since anybody asked, in a sentence each; reading takes them away. */
  takeGaps(): readonly string[] {
    const gaps = [...this.#gaps, ...this.notices()];
    this.#gaps.clear();
    return gaps;
  }

  /** What happened that nobody asked for: a restore that was finished or taken back, a first scan. */
  notices(): readonly string[] {
    return this.savepoint
      .notices()
      .map((note) => noteText(note, Number.POSITIVE_INFINITY).join('').trim());
  }

  close(): Promise<void> {
    return this.savepoint.close();
  }

  /**
   * The rewind that `/undo` takes back: the newest one in effect to a checkpoint of this conversation, or of
   * one that it was forked from. Rewinds of other agents in the project are not touched.
   */
  async #rewindToUndo(sessionId: string): Promise<Operation> {
    const isOwn = await this.#ownOperations(sessionId);
    const operations = await this.savepoint.operations();
    const found = operations.find((one) => one.kind === 'rewind' && one.inEffect && isOwn(one));
    if (found !== undefined) return found;
    throw new SavepointError('nothing-to-undo', 'there is no rewind of this conversation to undo', {
      hint: 'for what others did in this project: savepoint ops, savepoint undo',
    });
  }

  /** Throws where the newest undo belongs to another conversation. */
  async #refuseForeignRedo(sessionId: string): Promise<void> {
    const isOwn = await this.#ownOperations(sessionId);
    const operations = await this.savepoint.operations();
    const undo = operations.find(({ kind, inEffect }) => kind === 'undo' && inEffect);
    const undone = operations.find(({ id }) => id === undo?.reverts);
    // Where there is no undo, the engine says so.
    if (undo === undefined || (undone !== undefined && isOwn(undone))) return;
    throw new SavepointError('nothing-to-redo', 'the newest undo is not of this conversation', {
      hint: 'for what others did in this project: savepoint ops, savepoint redo',
    });
  }

  async #ownOperations(sessionId: string): Promise<(operation: Operation) => boolean> {
    const sessionIds = await sessionFamily(this.savepoint, sessionId);
    const checkpoints = new Set((await this.savepoint.list({ sessionIds })).map(({ id }) => id));
    return ({ id, checkpointId }) =>
      this.#made.has(id) || (checkpointId !== null && checkpoints.has(checkpointId));
  }

  async #checkpointOf(promptId: string): Promise<ListedCheckpoint | null> {
    const [found] = await this.savepoint.list({ messageId: promptId, limit: 1 });
    return found ?? null;
  }

  /** A prompt's uuid names its checkpoint, as the checkpoint's own id does. */
  async #idOf(ref: string): Promise<string> {
    return (await this.#checkpointOf(ref))?.id ?? ref;
  }

  async #remember(receipt: Receipt): Promise<Receipt> {
    const { restoredFiles, deletedFiles, mergedFiles } = receipt;
    await this.#rewind([...restoredFiles, ...deletedFiles, ...mergedFiles]);
    return receipt;
  }

  /** The agent hears of rewound files, but not of private ones. */
  async #rewind(paths: readonly string[]): Promise<void> {
    const isPrivate = await this.savepoint.privatePaths();
    this.#rewound.push(...paths.filter((path) => !isPrivate(path as TrackedPath)));
  }

  #gap(what: string): (error: unknown) => void {
    return (error) => this.#onGap(`${what}: ${messageOf(error)}`);
  }
}

/** A turn that is over is not interrupted by a key. */
const NEVER_INTERRUPTED = { onInterrupt: () => () => undefined };

/**
 * Asks the SDK beforehand which files it would write. If it cannot answer, it has nothing to rewind, and
 * the engine goes on alone.
 */
async function alongsideOf(
  { promptId, query, run }: SdkRewind,
  written: readonly TrackedPath[],
): Promise<AlongsideRequest> {
  try {
    const seen = await query.rewindFiles(promptId, { dryRun: true });
    const { canRewind, error, filesChanged = [] } = seen;
    if (!canRewind) throw new Error(error ?? 'it cannot rewind to this prompt');
    return { paths: [...filesChanged, ...written.map((path) => pathToBytes(path))], run };
  } catch (error) {
    return { paths: [], run: () => Promise.reject(error) };
  }
}

/** The sessions of a conversation: those that it was forked from, and its other branches. */
async function sessionFamily(savepoint: Savepoint, sessionId: string): Promise<string[]> {
  const sessions = await savepoint.sessions();
  const root = sessions.find(({ id }) => id === sessionId)?.rootId;
  return sessions.filter(({ rootId }) => rootId === root).map(({ id }) => id);
}
