import { randomUUID } from 'node:crypto';
import type { KnownExecution } from '../../execution/index.ts';
import type { ListedCheckpoint, Receipt } from '../../index.ts';
import { messageAndHint } from '../../terminal/phrases.ts';
import { leftText, receiptLine } from '../../terminal/plan-text.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import type { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import { describePrompt } from '../checkpoint/description.ts';
import type { AgentControl, CommandContext, Todo } from '../commands/command.ts';
import type { CommandRegistry } from '../commands/command-registry.ts';
import { fileNames } from '../commands/context-commands.ts';
import { customCommands } from '../commands/custom-commands.ts';
import { gitBranch } from '../git-branch.ts';
import { imageMark, imageMarks, imagesIn } from '../offers/images.ts';
import { PathOffers } from '../offers/path-offers.ts';
import type { PermissionModes } from '../permissions/permission-manager.ts';
import type { ConversationEvents, ConversationStart, TurnEnd } from '../sdk/conversation.ts';
import type { Session, Turn } from '../sessions/session-manager.ts';
import type { Completion, ConversationEntry, InteractiveUI } from '../ui/interactive-ui.ts';
import type { StatusShown } from '../ui/status-line.ts';
import { ConversationDesk, type DeskParts, RewoundNotice, startOf } from './conversation-desk.ts';
import { resumeExecution } from './execution-flow.ts';
import { COMMAND_RUNS, OwnWork } from './own-work.ts';
import {
  type Chosen,
  chooseNamed,
  chooseRewind,
  newestChanges,
  offeredBy,
  type Restored,
  type RewindParts,
  restoreFiles,
} from './rewind-flow.ts';
import type { Greeting, RunnerFactoryParts } from './runner-factory.ts';

export interface InteractiveRunnerParts
  extends Omit<RunnerFactoryParts, 'sdk' | 'config' | 'env'>,
    Pick<AgentControl, 'mcpServers' | 'models' | 'setModel' | 'usage' | 'permissions'> {
  readonly ui: InteractiveUI;
  readonly converse: DeskParts['converse'];
  readonly commands: CommandRegistry;
  /** What was said in a conversation before it goes on from here. */
  readonly past: (
    start: ConversationStart,
    turns: readonly Turn[],
  ) => Promise<readonly ConversationEntry[]>;
  /** What model answers, as far as that is known before it does. */
  readonly status: string;
  /** What the agent may do without a question. */
  readonly modes: PermissionModes;
}

interface Waiting {
  readonly text: string;
  /** What of it the person wrote: a command of the project has a text of its own. */
  readonly typed: string;
}

/** A person and the agent at a terminal: prompts, commands, and the way back. */
export class InteractiveRunner {
  readonly #parts: InteractiveRunnerParts;
  readonly #desk: ConversationDesk;
  readonly #waiting: Waiting[] = [];
  readonly #context: string[] = [];
  readonly #rewound = new RewoundNotice();
  readonly #paths: PathOffers;
  readonly #own: OwnWork;
  /** Whether the turn is the SDK's own, in which it sums the conversation up. */
  #isCompacting = false;
  #todos: readonly Todo[] = [];
  #current: string | null = null;
  /** A menu is open, a command works: what is typed waits. */
  #occupied = false;
  #status: StatusShown;
  #leave: () => void = () => undefined;
  /** One after the other: each goes on from the mode before. */
  #lastModeChange: Promise<void> = Promise.resolve();

  constructor(parts: InteractiveRunnerParts) {
    this.#parts = parts;
    const { sessionManager: sessions, checkpointsFor, converse } = parts;
    this.#paths = new PathOffers({
      list: async (again) => (await parts.files?.paths(again)) ?? [],
      onChange: () => parts.ui.refreshOffers(),
    });
    this.#own = new OwnWork({
      ...parts,
      env: parts.ownEnv,
      project: () => this.#desk.session.project,
      addContext: (text) => this.#context.push(text),
      isBusy: () => this.#current !== null || this.#occupied,
      occupy: (work) => this.#occupy(work),
      tellGaps: () => this.#tellGaps(),
    });
    const desk = { sessions, checkpointsFor, converse, events: this.#events() };
    this.#desk = new ConversationDesk(desk, parts.session, parts.checkpointManager);
    const { folder, project, status: model } = parts;
    const permissionMode = parts.modes.current;
    const told = { folder, branch: gitBranch(project), model, permissionMode };
    this.#status = { ...told, ...NOTHING_USED, wayBack: this.#wayBack(null) };
  }

  /** Until the person leaves. `prompt` is sent at once. */
  async run(prompt: string | null = null): Promise<void> {
    const { ui, files, greeting, configManager, session } = this.#parts;
    const { verbose } = await configManager.getProjectConfig();
    const { promise: left, resolve } = Promise.withResolvers<void>();
    this.#leave = resolve;
    await ui.start({
      onSubmit: (text) => this.#guarded(() => this.#take(text)),
      onRewind: () => this.#guarded(() => this.handleRewind(this.#desk.session)),
      onOwnCommand: (command, hasPaste) =>
        this.#guarded(() => this.#own.run(command.trim(), hasPaste)),
      onNote: (text) => this.#guarded(() => this.#own.note(text)),
      imagesIn: (text) => imageMarks(text, this.#desk.session.project),
      onInterrupt: () => void this.#guarded(() => this.#interrupt()),
      onTakeBack: () => this.#takeBack(),
      onExit: () => this.#leave(),
      complete: (text) => this.#complete(text),
      onNextMode: () => void this.#guarded(() => this.#nextMode()),
    });
    this.#showStatus({});
    this.#findCustom();
    void this.#paths.load();
    if (verbose) ui.setVerbose(true);
    if (session.turns.length > 0) await this.#guarded(() => this.#showConversation());
    this.#greet(greeting);
    for (const notice of files?.notices() ?? []) ui.displayWarning(notice);
    void this.#tellWayBack();
    if (prompt !== null) void this.#guarded(() => this.#take(prompt));
    try {
      await left;
    } finally {
      this.#own.stop();
      await this.#guarded(() => this.#desk.close());
      // Records what an unfinished turn or a sub-agent did.
      await this.#endWork();
      await ui.stop();
    }
  }

  #greet(greeting: Greeting | null): void {
    if (greeting === null) return;
    const { ui, paint, columns } = this.#parts;
    ui.displayBlock(wrapWords(greeting.title, columns()).map((row) => paint('bold', row)));
    for (const line of greeting.lines) ui.displayInfo(line);
  }

  /** Draws the open conversation in place of what is on the screen. */
  async #showConversation(): Promise<void> {
    const { session, start } = this.#desk;
    this.#parts.ui.showConversation(await this.#parts.past(start, session.turns));
  }

  #showStatus(part: Partial<StatusShown>): void {
    this.#status = { ...this.#status, ...part };
    this.#parts.ui.setStatus(this.#status);
  }

  /** Nothing advertises a way back where checkpoints are turned off. */
  #wayBack(changes: string | null): StatusShown['wayBack'] {
    return this.#desk.checkpoints === null ? null : { changes };
  }

  async #tellWayBack(): Promise<void> {
    const { checkpoints } = this.#desk;
    if (checkpoints === null) return;
    const changes = await newestChanges(checkpoints, this.#parts.files);
    // Another turn, another conversation: they tell it themselves.
    if (this.#desk.checkpoints !== checkpoints || this.#current !== null) return;
    this.#showStatus({ wayBack: this.#wayBack(changes) });
  }

  /** Shift-Tab. Holds for the turn that runs too, and is shown once the SDK has taken it. */
  #nextMode(): Promise<void> {
    const change = this.#lastModeChange.then(async () => {
      const next = this.#parts.modes.next();
      await this.#desk.live.setPermissionMode(next);
      this.#setMode(next);
    });
    this.#lastModeChange = change.catch(() => undefined);
    return change;
  }

  #setMode(mode: string): void {
    if (this.#parts.modes.set(mode)) this.#showStatus({ permissionMode: mode });
  }

  /** The menu of Esc Esc, and what comes of it. */
  async handleRewind(_session: Session): Promise<void> {
    const { ui, logger } = this.#parts;
    await logger.info('Opening checkpoint menu');
    const { checkpoints } = this.#desk;
    if (checkpoints === null) return ui.displayWarning('Checkpoint feature not enabled');
    const offered = await offeredBy(this.#rewindParts(checkpoints));
    if (offered.prompts.length + offered.byHand.length === 0) {
      return ui.displayWarning('No checkpoints available');
    }
    if (this.#own.isRunning) return ui.displayWarning(COMMAND_RUNS);
    if (this.#current !== null) {
      return ui.displayWarning('The agent is at work; press Esc once to interrupt it first.');
    }
    if ((this.#parts.files?.agentsAtWork ?? 0) > 0) ui.displayWarning(IN_THE_BACKGROUND);
    await this.#rewind(checkpoints, (parts) => chooseRewind(parts, offered));
  }

  /** False when the person leaves. */
  async #rewind(
    checkpoints: CheckpointManager,
    choose: (parts: RewindParts) => Promise<Chosen | KnownExecution | null>,
  ): Promise<boolean> {
    return this.#occupy(async () => {
      const parts = this.#rewindParts(checkpoints);
      const chosen = await choose(parts);
      if (chosen === null) return false;
      if ('kind' in chosen) return this.#resume(chosen);
      await this.#carryOut(parts, chosen);
      return true;
    });
  }

  /** False when the person leaves. */
  async #resume(execution: KnownExecution): Promise<boolean> {
    const { ui, files, paint, columns } = this.#parts;
    if (files === null) return false;
    const addContext = (text: string) => void this.#context.push(text);
    const parts = { ui, executions: files.executions, addContext, paint, columns: columns() };
    const resumed = await this.#guarded(() => resumeExecution(parts, execution), {
      said: RESTORE_FAILED,
      logged: 'An execution could not be restored',
    });
    return resumed ?? true;
  }

  async #carryOut(parts: RewindParts, chosen: Chosen): Promise<void> {
    const { ui, logger } = this.#parts;
    const { id, description } = chosen.entry;
    const carryOut = async (): Promise<void> => {
      const { receipt, keptAs } =
        chosen.choice === 'conversation' ? NO_FILES : await restoreFiles(parts, chosen);
      // The conversation is drawn anew, and what became of the files is said below it, also if that fails.
      const back = chosen.choice === 'files' ? null : this.#goBackBefore(id);
      await back?.catch(() => undefined);
      const isWhole = receipt?.success ?? true;
      const restored = `Restored to checkpoint: ${description}`;
      if (isWhole) ui.displaySuccess(restored);
      else ui.displayWarning(`${restored}, but for what is named here:`);
      if (receipt !== null) this.#tellReceipt(receipt);
      if (keptAs !== null) ui.displayInfo(`How it was: savepoint rewind ${keptAs} --exact`);
      await back;
      await logger.info('Checkpoint restored successfully', { checkpointId: id });
    };
    await this.#guarded(carryOut, { said: RESTORE_FAILED, logged: 'Checkpoint restore failed' });
  }

  /** One line says what changed; what was left alone is named with its reason. */
  #tellReceipt(receipt: Receipt): void {
    const { ui, paint, columns } = this.#parts;
    const undo = receipt.operationId === null ? '' : '; /undo takes it back';
    const done = paint('green', `  ${receiptLine(receipt)}${undo}`);
    ui.displayBlock([done, ...leftText(receipt, paint, columns())]);
  }

  async #goBackBefore(promptId: string): Promise<void> {
    const ids = this.#desk.session.turns.map((turn) => turn.promptId);
    const prompt = await this.#leaving(() => this.#desk.goBackBefore(promptId));
    this.#rewound.takenBack(ids.slice(ids.indexOf(promptId)));
    await this.#showConversation();
    this.#parts.ui.setInput(prompt);
  }

  /** Goes from the open conversation to another one. */
  async #leaving<T>(work: () => Promise<T>): Promise<T> {
    const { id: left } = this.#desk.session;
    const result = await work();
    await this.#endWork(left);
    this.#keepTodos([]);
    return result;
  }

  /** The agent's process has ended, and what it left half done with it. */
  async #endWork(sessionId = this.#desk.session.id): Promise<void> {
    const { files } = this.#parts;
    const isAtWork = this.#current !== null || (files?.agentsAtWork ?? 0) > 0;
    if (isAtWork) await files?.conversationEnds(sessionId);
  }

  #rewindParts(checkpoints: CheckpointManager): RewindParts {
    const { ui, files, sdkKeepsFiles, paint } = this.#parts;
    const query = this.#desk.live.getQueryInstance();
    const { id: sessionId } = this.#desk.session;
    return { ui, checkpoints, files, query, sessionId, sdkKeepsFiles, paint };
  }

  async #take(text: string): Promise<void> {
    const { commands, ui } = this.#parts;
    if (text.trim() === '') return;
    if (commands.isCommand(text)) {
      this.#findCustom();
      ui.displayUserMessage(text);
      const said = await this.#occupy(() => commands.execute(text, this.#commandContext()));
      if (said !== null) ui.displayInfo(said);
      return;
    }
    await this.#prompt(text);
  }

  /** A text for the agent, whatever it begins with. */
  async #prompt(text: string, typed: string = text): Promise<void> {
    this.#waiting.push({ text, typed });
    await this.#sendNext();
  }

  #findCustom(): void {
    this.#parts.commands.setCustom(customCommands(this.#parts.custom));
  }

  #complete(text: string): readonly Completion[] {
    if (!text.startsWith('@')) return this.#parts.commands.complete(text, this.#commandContext());
    if (this.#parts.files !== null) return this.#paths.complete(text);
    // Without a timeline nobody has a list of all files: those of the folder that is named are offered.
    const names = fileNames(this.#desk.session.project, text.slice(1));
    return names.map((name) => ({ text: `@${name}`, summary: '' }));
  }

  async #interrupt(): Promise<void> {
    if (this.#own.isRunning) this.#own.stop();
    else await this.#desk.live.interrupt();
  }

  /** The last prompt that waits is the person's again. */
  #takeBack(): string | null {
    const text = this.#waiting.pop()?.text ?? null;
    this.#showWaiting();
    return text;
  }

  #showWaiting(): void {
    this.#parts.ui.setWaiting(this.#waiting.map(({ text }) => text));
  }

  /** One prompt at a time: each is a checkpoint, and what the agent does belongs to one. */
  async #sendNext(): Promise<void> {
    const { ui } = this.#parts;
    const isFree = this.#current === null && !this.#occupied;
    const next = isFree ? this.#waiting.shift() : undefined;
    this.#showWaiting();
    if (next === undefined) return;
    const { text, typed } = next;
    const uuid = randomUUID();
    this.#current = uuid;
    this.#isCompacting = text.startsWith('/compact');
    ui.displayUserMessage(text);
    ui.setActivity('thinking');
    try {
      const { id: sessionId, parentId: parentSessionId } = this.#desk.session;
      const description = describePrompt(text);
      const { files, sessionManager } = this.#parts;
      const prompt = { sessionId, parentSessionId, promptId: uuid, description, isRun: false };
      await files?.promptBegins(prompt);
      this.#tellGaps();
      await this.#desk.update((session) => sessionManager.addTurn(session, uuid, text));
      const rewound = this.#rewound.tellWith(uuid, files?.takeRewound() ?? []);
      const context = [...rewound, ...this.#context.splice(0)];
      const { images, problems } = imagesIn(text, this.#desk.session.project, typed);
      for (const image of images) this.#parts.ui.displayInfo(imageMark(image));
      for (const problem of problems) this.#parts.ui.displayWarning(problem);
      await this.#desk.live.sendPrompt({ uuid, text, context, images });
    } catch (error) {
      this.#parts.ui.displayError(messageAndHint(error));
      await this.#parts.logger.error('A prompt could not be sent', error);
      await this.#turnEnded({ promptId: uuid, lastMessageId: null, outcome: 'failed', text: '' });
    }
  }

  /** Warns at once of changes that could not be recorded, and so cannot be taken back later. */
  #tellGaps(): void {
    for (const gap of this.#parts.files?.takeGaps() ?? []) this.#parts.ui.displayWarning(gap);
  }

  #events(): ConversationEvents {
    const { ui, files } = this.#parts;
    return {
      onAnswerPiece: (text) => ui.streamAnswer(text),
      onThinkingPiece: (text) => ui.streamThinking(text),
      onAnswerEnd: () => ui.endAnswer(),
      onToolUse: (call) => {
        ui.displayToolUse(call);
        ui.setActivity(`running ${call.name}`);
      },
      onToolResult: (result) => {
        void files?.toolEnds(result.id);
        ui.displayToolResult(result);
        ui.setActivity('thinking');
      },
      onToolOutput: (id, text) => ui.displayToolOutput(id, text),
      onTodos: (todos) => this.#keepTodos(todos),
      onPermissionMode: (mode) => this.#setMode(mode),
      onTurnEnd: (end) => void this.#guarded(() => this.#turnEnded(end)),
    };
  }

  #keepTodos(todos: readonly Todo[]): void {
    this.#todos = todos;
    this.#parts.ui.displayTodos(todos);
  }

  async #turnEnded({ promptId, lastMessageId, outcome, text, usage }: TurnEnd): Promise<void> {
    if (promptId !== this.#current) return;
    const { ui, project, modelLabel } = this.#parts;
    ui.endAnswer();
    const { model = null, ...used } = usage ?? {};
    const answered = modelLabel ?? model ?? this.#status.model;
    this.#showStatus({ ...used, model: answered, branch: gitBranch(project) });
    // A full disk must not leave the agent at work for ever, with prompts that wait for it.
    await this.#guarded(() => this.#writeDown(promptId, lastMessageId));
    this.#tellGaps();
    ui.setActivity(null);
    if (this.#isCompacting && outcome === 'done') ui.displaySuccess(COMPACTED);
    if (outcome === 'interrupted') ui.displayWarning('Interrupted.');
    if (outcome === 'failed' && text !== '') ui.displayError(text);
    this.#current = null;
    void this.#tellWayBack();
    await this.#sendNext();
  }

  async #writeDown(promptId: string, lastMessageId: string | null): Promise<void> {
    const { files, sessionManager } = this.#parts;
    await files?.turnEnds(this.#desk.session.id);
    await this.#desk.update((one) => sessionManager.endTurn(one, promptId, lastMessageId));
    // Once the agent waits again, the prompt is in metadata.json.
    await this.#desk.checkpoints?.flush();
  }

  #commandContext(): CommandContext {
    const { ui, files, sessionManager, configManager, paint, columns } = this.#parts;
    return {
      ui,
      agent: this.#control(),
      files,
      checkpoints: this.#desk.checkpoints,
      sessions: sessionManager,
      config: configManager,
      paint,
      columns: columns(),
      now: Date.now,
    };
  }

  #control(): AgentControl {
    const desk = this.#desk;
    const { mcpServers, models, usage, permissions } = this.#parts;
    const switched = async (session: Session): Promise<void> => {
      await this.#leaving(() => desk.open(session));
      this.#showStatus({ ...NOTHING_USED, wayBack: this.#wayBack(null) });
    };
    return {
      session: desk.session,
      isBusy: this.#current !== null || this.#own.isRunning,
      rewind: (to) => this.#rewindByCommand(to),
      switchTo: async (session) => {
        await switched(session);
        await this.#showConversation();
      },
      startAnew: async () => {
        const { project } = desk.session;
        this.#context.length = 0;
        await switched(await this.#parts.sessionManager.create({ project }));
      },
      updateSession: (work) => desk.update(work),
      submit: (prompt, typed) => void this.#guarded(() => this.#prompt(prompt, typed)),
      addContext: (text) => this.#context.push(text),
      context: () => [...this.#context],
      todos: () => this.#todos,
      status: this.#status.model,
      ...{ mcpServers, models, usage, permissions },
      setModel: async (name) => {
        await this.#parts.setModel(name);
        this.#showStatus({ model: name });
      },
      past: () => this.#parts.past(startOf(desk.session), desk.session.turns),
      exit: () => this.#leave(),
    };
  }

  /** `/checkpoint`: as Esc Esc, with executions, other sessions and a way to stay where one is. */
  async #rewindByCommand(to: ListedCheckpoint | null): Promise<string | null> {
    const { checkpoints } = this.#desk;
    if (checkpoints === null) return 'Checkpoint feature not enabled';
    const executions = (await this.#parts.files?.executions.list()) ?? [];
    const offered = await offeredBy(this.#rewindParts(checkpoints));
    const isEmpty = [executions, ...Object.values(offered)].every((list) => list.length === 0);
    if (isEmpty) return 'No checkpoints found.';
    const done = await this.#rewind(checkpoints, (parts) =>
      to === null ? chooseRewind(parts, offered, executions) : chooseNamed(parts, to),
    );
    return done ? null : 'Exited checkpoint selection.';
  }

  async #occupy<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#occupied;
    this.#occupied = true;
    try {
      return await work();
    } finally {
      this.#occupied = before;
      if (!before) void this.#tellWayBack();
      if (!before) queueMicrotask(() => void this.#guarded(() => this.#sendNext()));
    }
  }

  /** An error is shown in one line, and the person can go on. */
  async #guarded<T>(
    work: () => Promise<T>,
    { said = '', logged = 'Something went wrong' } = {},
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#parts.ui.displayError(`${said}${messageAndHint(error)}`);
      await this.#parts.logger.error(logged, error);
      return undefined;
    }
  }
}

const RESTORE_FAILED = 'Restore failed: ';
const COMPACTED = 'The conversation was summed up; the agent goes on from the summary.';

const IN_THE_BACKGROUND =
  'A sub-agent is still at work in the background: what it writes after a rewind stays.';

const NOTHING_USED = { context: null, costUSD: null } as const;
const NO_FILES: Restored = { receipt: null, keptAs: null };
