import type {
  PermissionMode,
  Query,
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKTaskStartedMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from '@anthropic-ai/claude-agent-sdk';
import type { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import { extractCheckpointDescription } from '../checkpoint/description.ts';
import type { UsageShown } from '../commands/command.ts';
import type { ConversationEvents, ConversationStart, Prompt, TurnEnd } from './conversation.ts';
import { LiveQuery } from './live-query.ts';
import {
  type MessageRouter,
  outcomeOf,
  reasonOf,
  toolResultsOf,
  toolUsesOf,
  usageOf,
  usedBy,
} from './message-router.ts';
import type { QueryOptions, SDKQueryExecutor } from './sdk-query-executor.ts';
import { TaskOutputs } from './task-outputs.ts';
import { TodoList } from './todo-list.ts';

export interface StreamingQueryManagerOptions {
  readonly executor: Pick<SDKQueryExecutor, 'execute'>;
  readonly messageRouter: MessageRouter;
  /** Null where checkpoints are turned off. */
  readonly checkpointManager: Pick<CheckpointManager, 'captureCheckpoint'> | null;
  /** Asked whenever a query begins; how the conversation begins is added to it. */
  readonly queryOptions: () => QueryOptions;
  readonly events: ConversationEvents;
  readonly now?: () => Date;
}

/** A prompt that was sent and whose turn has not ended. */
interface OpenTurn {
  readonly prompt: Prompt;
  lastMessageId: string | null;
  isInterrupted: boolean;
}

type UserMessage = SDKUserMessage | SDKUserMessageReplay;

/**
 * One conversation and its query. The query begins with the first prompt and lives until it is closed;
 * if it dies, the next prompt begins another one that goes on where it was.
 */
export class StreamingQueryManager {
  readonly #parts: StreamingQueryManagerOptions;
  readonly #answer: AnswerStream;
  readonly #todos = new TodoList();
  readonly #outputs: TaskOutputs;
  readonly #turns = new Map<string, OpenTurn>();
  #start: ConversationStart | null = null;
  #live: LiveQuery | null = null;
  /** Whether a query of this conversation was begun, and whether a turn of it has ended: then it is kept. */
  #hasBegun = false;
  #isKept = false;
  #usage: UsageShown | null = null;
  /** The agent's last message, for what it says of the context. */
  #last: SDKAssistantMessage['message'] | null = null;

  constructor(parts: StreamingQueryManagerOptions) {
    this.#parts = parts;
    this.#answer = new AnswerStream(parts.events);
    this.#outputs = new TaskOutputs((callId, text) => parts.events.onToolOutput(callId, text));
  }

  /** Says how the conversation begins; nothing runs before the first prompt. */
  start(start: ConversationStart): void {
    if (this.#live !== null) throw new Error('The conversation has begun already.');
    this.#start = start;
    this.#hasBegun = false;
    this.#isKept = false;
  }

  /** Resolves when the prompt is handed over; `onTurnEnd` tells how it went. */
  async sendPrompt(prompt: Prompt): Promise<void> {
    const start = this.#start;
    if (start === null) throw new Error('No conversation was started.');
    this.#live ??= this.#begin(this.#hasBegun ? goingOn(start) : start);
    this.#live.send(this.#parts.messageRouter.buildStreamMessage(prompt));
    this.#turns.set(prompt.uuid, { prompt, lastMessageId: null, isInterrupted: false });
  }

  /** Ends the turn; the query lives on. Nothing happens where no turn runs. */
  async interrupt(): Promise<void> {
    if (this.#turns.size === 0) return;
    for (const turn of this.#turns.values()) turn.isInterrupted = true;
    await this.#live?.interrupt();
  }

  /** Ends the query between two turns; the next prompt begins another one, which goes on where it was. */
  async renew(): Promise<void> {
    if (this.#turns.size === 0) await this.#live?.close({ gently: true });
  }

  /** For the query that runs, if there is one; the next one begins with what `queryOptions` says then. */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.#live?.query.setPermissionMode(mode);
  }

  /** Ends the query and the turn that runs. */
  async close(): Promise<void> {
    this.#start = null;
    await this.#live?.close({ gently: this.#turns.size === 0 });
  }

  /** What the SDK told last of what was used; null before the first turn has ended. */
  get usage(): UsageShown | null {
    return this.#usage;
  }

  /** Null while no query runs. */
  getQueryInstance(): Query | null {
    return this.#live?.query ?? null;
  }

  handleSDKMessage(message: SDKMessage): void {
    this.#parts.messageRouter.route(message, {
      onInit: () => {
        if (this.#live !== null) this.#live.isInitialized = true;
      },
      onStatus: ({ permissionMode }) => {
        if (permissionMode !== undefined) this.#parts.events.onPermissionMode?.(permissionMode);
      },
      onUser: (user) => this.#handleUserMessage(user),
      onAssistant: (assistant) => this.#handleAssistantMessage(assistant),
      onPartial: (partial) => {
        if (partial.parent_tool_use_id === null) this.#answer.partial(partial);
      },
      onResult: (result) => this.#handleResult(result),
      onTaskStarted: (task) => this.#handleTaskStarted(task),
    });
  }

  /** Only a prompt of the person is a checkpoint: no tool result, nothing of a sub-agent or of the SDK. */
  captureUserMessageCheckpoint(message: UserMessage): void {
    if (!isReplayedPrompt(message)) return;
    const description = this.extractCheckpointDescription(message);
    const { uuid, session_id } = message;
    this.#parts.checkpointManager?.captureCheckpoint(uuid, description, session_id);
  }

  extractCheckpointDescription(message: UserMessage): string {
    const prompt = this.#turns.get(message.uuid ?? '')?.prompt;
    // The context before the prompt is for the agent and does not describe the checkpoint.
    const described = prompt === undefined ? message : { message: { content: prompt.text } };
    return extractCheckpointDescription(described, this.#parts.now?.() ?? new Date());
  }

  #begin(start: ConversationStart): LiveQuery {
    const { executor, queryOptions, checkpointManager } = this.#parts;
    const options = { ...queryOptions(), start };
    // Only the replay of a prompt makes its checkpoint, also where the engine alone keeps files.
    const replays = checkpointManager === null ? {} : { 'replay-user-messages': null };
    const extraArgs = { ...options.extraArgs, ...replays };
    this.#hasBegun = true;
    return new LiveQuery({
      execute: (input) => executor.execute(input, { ...options, extraArgs }),
      start,
      onMessage: (message) => this.handleSDKMessage(message),
      onEnd: (live) => this.#queryEnded(live),
    });
  }

  #handleUserMessage(message: UserMessage): void {
    this.captureUserMessageCheckpoint(message);
    if ('isReplay' in message && message.isReplay) return;
    if (message.parent_tool_use_id === null) this.#reached(message.uuid);
    for (const result of toolResultsOf(message)) {
      this.#outputs.ends(result.id);
      this.#parts.events.onToolResult(result);
      const todos = this.#todos.answered(result);
      if (todos !== null) this.#parts.events.onTodos(todos);
    }
  }

  #handleAssistantMessage(message: SDKAssistantMessage): void {
    if (message.parent_tool_use_id === null) {
      this.#reached(message.uuid);
      // The end of the turn tells the error.
      if (message.error === undefined) {
        this.#answer.whole(message);
        this.#last = message.message;
      }
    }
    for (const call of toolUsesOf(message)) {
      this.#parts.events.onToolUse(call);
      this.#todos.called(call);
    }
  }

  #handleTaskStarted(task: SDKTaskStartedMessage): void {
    const { tool_use_id: callId, task_id: taskId, session_id: sessionId } = task;
    if (callId === undefined || task.is_backgrounded === true) return;
    if (task.task_type !== 'local_bash') return;
    this.#outputs.begins({ callId, taskId, sessionId }, this.#parts.queryOptions().env);
  }

  #handleResult(result: SDKResultMessage): void {
    // It could not even begin. The query ends next, and `#queryEnded` decides what to do.
    if (this.#live?.isInitialized === false && result.is_error) {
      this.#live.failed(reasonOf(result));
      return;
    }
    this.#usage = usedBy(result);
    const ended = this.#turnsEndedBy(result);
    this.#isKept ||= ended.length > 0;
    if (ended.length > 0 && !result.is_error && !this.#answer.hasTold) {
      this.#answer.tell(outcomeOf(result, false).text);
    }
    const lastMessageId = ended.find((turn) => turn.lastMessageId !== null)?.lastMessageId ?? null;
    const usage = usageOf(result, this.#last);
    for (const turn of ended) {
      this.#endTurn(turn, { ...outcomeOf(result, turn.isInterrupted), lastMessageId, usage });
    }
  }

  /** Prompts that were sent close together may share a turn. Turns that the SDK began itself are not ours. */
  #turnsEndedBy(result: SDKResultMessage): OpenTurn[] {
    const { user_message_uuid: last, user_message_uuids: all = last === undefined ? [] : [last] } =
      result;
    if (all.length > 0) return all.flatMap((uuid) => this.#turns.get(uuid) ?? []);
    const isOurs = result.origin === undefined || result.origin.kind === 'human';
    return isOurs ? [...this.#turns.values()].slice(0, 1) : [];
  }

  #reached(messageId: string | undefined): void {
    const [turn] = this.#turns.values();
    if (turn !== undefined && messageId !== undefined) turn.lastMessageId = messageId;
  }

  #queryEnded(live: LiveQuery): void {
    if (this.#live === live) this.#live = null;
    this.#outputs.endAll();
    const turns = [...this.#turns.values()];
    const again = this.#start === null ? null : this.#otherStart(live, this.#start);
    if (again !== null && turns.length > 0) {
      this.#live = this.#begin(again);
      for (const { prompt } of turns) {
        this.#live.send(this.#parts.messageRouter.buildStreamMessage(prompt));
      }
      return;
    }
    const outcome = this.#start === null ? 'interrupted' : 'failed';
    const text = outcome === 'failed' ? live.reason : '';
    // The SDK may not have written down the last messages, so nothing can be resumed at them.
    for (const turn of turns) this.#endTurn(turn, { outcome, text, lastMessageId: null });
  }

  /**
   * A query that died early may or may not have left a conversation behind; only a try shows which.
   * A conversation that had a whole turn is never begun anew: the person counts on what was said in it.
   */
  #otherStart(live: LiveQuery, start: ConversationStart): ConversationStart | null {
    if (live.isInitialized || live.isClosed) return null;
    const wasResumed = live.start !== start;
    if (live.isUnknownSession && wasResumed && !this.#isKept) return start;
    return live.isSessionTaken && !wasResumed ? goingOn(start) : null;
  }

  #endTurn(turn: OpenTurn, end: Omit<TurnEnd, 'promptId'>): void {
    const promptId = turn.prompt.uuid;
    if (!this.#turns.delete(promptId)) return;
    this.#answer.endTurn();
    this.#parts.events.onTurnEnd({ promptId, ...end });
  }
}

/** The same conversation, all of it. */
function goingOn({ sessionId }: ConversationStart): ConversationStart {
  return { sessionId, from: { sessionId, lastMessageId: null, fork: false } };
}

function isReplayedPrompt(message: UserMessage): message is SDKUserMessageReplay {
  if (!('isReplay' in message) || message.isReplay !== true) return false;
  if (message.isSynthetic === true || message.parent_tool_use_id !== null) return false;
  return message.uuid !== undefined && toolResultsOf(message).length === 0;
}

type Told = Pick<ConversationEvents, 'onAnswerPiece' | 'onThinkingPiece' | 'onAnswerEnd'>;

/**
 * Tells an answer as it comes. The SDK sends each message a second time when it is whole; what was told
 * in pieces is not told again.
 */
class AnswerStream {
  readonly #told: Told;
  /** Ids of messages that come in pieces. */
  readonly #streamed = new Set<string>();
  #isOpen = false;
  /** Whether the turn has told anything yet. */
  hasTold = false;

  constructor(told: Told) {
    this.#told = told;
  }

  partial({ event }: SDKPartialAssistantMessage): void {
    if (event.type === 'message_start') {
      // A request that was tried again leaves its last block without an end.
      this.#endBlock();
      this.#streamed.add(event.message.id);
    } else if (event.type === 'content_block_delta') {
      if (event.delta.type === 'text_delta') this.#piece('onAnswerPiece', event.delta.text);
      if (event.delta.type === 'thinking_delta') {
        this.#piece('onThinkingPiece', event.delta.thinking);
      }
    } else if (event.type === 'content_block_stop') {
      this.#endBlock();
    }
  }

  whole({ message }: SDKAssistantMessage): void {
    if (this.#streamed.has(message.id)) return;
    for (const block of message.content) {
      if (block.type === 'text') this.tell(block.text);
      if (block.type === 'thinking') {
        this.#piece('onThinkingPiece', block.thinking);
        this.#endBlock();
      }
    }
  }

  /** A text that came at once. */
  tell(text: string): void {
    this.#piece('onAnswerPiece', text);
    this.#endBlock();
  }

  endTurn(): void {
    this.#endBlock();
    this.#streamed.clear();
    this.hasTold = false;
  }

  #piece(kind: 'onAnswerPiece' | 'onThinkingPiece', text: string): void {
    if (text === '') return;
    this.#isOpen = true;
    this.hasTold = true;
    this.#told[kind](text);
  }

  #endBlock(): void {
    if (this.#isOpen) this.#told.onAnswerEnd();
    this.#isOpen = false;
  }
}
