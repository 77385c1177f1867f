import { basename, join } from 'node:path';
import { withoutCredentials } from '../config/find-project.ts';
import { displayText } from '../index.ts';
import type { PassSignals } from '../terminal/interactive/external-editor.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { messageOf } from '../terminal/phrases.ts';
import { settingsText } from '../terminal/settings-text.ts';
import { wrapWords } from '../terminal/text-width.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { type AnsweringModel, chooseModel } from './answering-model.ts';
import { CheckpointManager } from './checkpoint/checkpoint-manager.ts';
import { CommandRefused } from './commands/command.ts';
import { findSession, sessionTable } from './commands/conversations.ts';
import { ConfigManager, SDKConfigLoader } from './config/config-manager.ts';
import { PERMISSION_MODES, type ReplicaConfig } from './config/replica-settings.ts';
import { PlayedUI } from './demo.ts';
import { FileLogger } from './file-logger.ts';
import { type EngineFiles, openEngineFiles } from './files/engine-files.ts';
import type { PrintedConfig, PrintedSessions, ReplicaIo, ReplicaRequest } from './request.ts';
import { type Greeting, RunnerFactory } from './runners/runner-factory.ts';
import { loadSdk } from './sdk/load-sdk.ts';
import { KeptPrompts } from './sessions/kept-prompts.ts';
import { type Session, SessionManager } from './sessions/session-manager.ts';
import { type Stage, setStage } from './stage.ts';
import type { InteractiveUI } from './ui/interactive-ui.ts';

/** Runs the interactive agent for one request. Resolves to the exit code. */
export async function runReplica(request: ReplicaRequest, io: ReplicaIo): Promise<number> {
  const stage = setStage(request, io);
  const forget = io.interrupts.onInterrupt(() => stage.remove());
  try {
    return await new Application(request, io, stage).run();
  } finally {
    stage.remove();
    forget();
  }
}

/** Brings the parts together: configuration, model, engine, session, runner. */
export class Application {
  readonly #request: ReplicaRequest;
  readonly #io: ReplicaIo;
  readonly #stage: Stage;
  readonly #configManager: ConfigManager;
  readonly #sessions: SessionManager;
  readonly #logger: FileLogger;
  readonly #paint: Paint;
  #screen: InteractiveUI | null = null;

  constructor(request: ReplicaRequest, io: ReplicaIo, stage: Stage) {
    this.#request = request;
    this.#io = io;
    this.#stage = stage;
    this.#paint = paintFor(io, request.noColor);
    const { project, home, replicaHome } = stage;
    const loader = new SDKConfigLoader({ project, home, environment: stage.env });
    this.#configManager = new ConfigManager(loader);
    this.#sessions = new SessionManager({ root: join(replicaHome, 'sessions') });
    this.#logger = new FileLogger({ file: join(replicaHome, 'logs', 'replica.log') });
  }

  async run(): Promise<number> {
    if (this.#request.verb === 'config') return this.#showConfig();
    if (this.#request.verb === 'sessions') return this.#showSessions();
    const config = await this.#configured();
    for (const warning of this.#configManager.warnings) this.#warn(warning);
    await this.checkCheckpointEnvironment();
    const model = await chooseModel(this.#request, this.#io, this.#stage);
    if (model === null) return 0;
    try {
      return await this.#converse(config, model);
    } finally {
      await model.close();
    }
  }

  /** The SDK keeps file checkpoints only with the variable. Where nobody set it, it is set for the SDK's process. */
  async checkCheckpointEnvironment(): Promise<void> {
    const { enableFileCheckpointing } = await this.#configManager.getProjectConfig();
    if (!enableFileCheckpointing || this.#io.env[VARIABLE] === '1') return;
    const meaning = this.#sdkKeepsFiles()
      ? 'It is set for the agent here. A rewind works in any case, by Savepoint’s own timeline.'
      : 'A rewind works without it, by Savepoint’s own timeline.';
    this.#warn(
      'Warning: File checkpointing enabled in config but environment variable not set\n' +
        `Set ${VARIABLE}=1 to enable SDK checkpointing\n${meaning}`,
    );
  }

  async #converse(config: ReplicaConfig, model: AnsweringModel): Promise<number> {
    const sdk = await loadSdk();
    const session = await this.#session();
    const files = config.enableFileCheckpointing ? await this.#openFiles() : null;
    const checkpointsFor = (one: Session) => this.#checkpointsFor(one, config);
    const factory = new RunnerFactory({
      sdk,
      config: { ...config, model: model.name ?? config.model },
      env: { ...model.env, ...(this.#sdkKeepsFiles() ? { [VARIABLE]: '1' } : {}) },
      session,
      files,
      checkpointManager: await checkpointsFor(session),
      checkpointsFor,
      sessionManager: this.#sessions,
      configManager: this.#configManager,
      sdkKeepsFiles: this.#sdkKeepsFiles(),
      logger: this.#logger,
      paint: this.#paint,
      greeting: this.#io.interactive ? this.#greeting(session, model, config) : null,
      columns: () => this.#columns(),
      project: this.#stage.project,
      folder: this.#folder(),
      modelLabel: model.label,
      ownEnv: withoutCredentials(this.#stage.env),
      custom: this.#stage,
    });
    try {
      return await this.#runWith(factory);
    } finally {
      await files?.close();
      await this.#sessions.deleteIfEmpty(session);
    }
  }

  /** What a person should know before the first prompt: two lines, and what the demonstration model takes. */
  #greeting({ turns }: Session, model: AnsweringModel, config: ReplicaConfig): Greeting {
    const where = this.#request.demo ? 'a scratch project, removed afterwards' : this.#folder();
    const said = turns.length === 1 ? 'one prompt' : `${turns.length} prompts`;
    const so = turns.length === 0 ? '' : `, a conversation of ${said} so far`;
    const back = config.enableFileCheckpointing ? WITH_WAY_BACK : WITHOUT_WAY_BACK;
    return {
      title: `claude-replica in ${displayText(where)}${so}`,
      lines: model.label === null ? [back] : [back, OFFLINE],
    };
  }

  /** From the home directory, where it lies there. */
  #folder(): string {
    const { project } = this.#stage;
    if (this.#request.demo) return basename(project);
    const home = this.#io.homeDirectory;
    return project.startsWith(`${home}/`) ? `~${project.slice(home.length)}` : project;
  }

  async #runWith(factory: RunnerFactory): Promise<number> {
    const { verb, prompt, json } = this.#request;
    if (verb === 'print') {
      const interrupt = new AbortController();
      const listening = this.#io.interrupts.onInterrupt(() => interrupt.abort());
      const printed = {
        prompt: prompt ?? '',
        format: json ? 'json' : 'text',
        write: (text: string) => this.#io.out(text),
        writeError: (text: string) => this.#io.err(text),
        signal: interrupt.signal,
      } as const;
      return factory.createPrintRunner(printed).run().finally(listening);
    }
    const ui = await this.#ui();
    const forget = this.#io.interrupts.onInterrupt(() => void ui.stop());
    // What is written beside a screen that is drawn stands across it.
    this.#screen = ui;
    try {
      await factory.createInteractiveRunner(ui).run(prompt);
    } finally {
      this.#screen = null;
      forget();
    }
    const failures = ui instanceof PlayedUI ? ui.failures : [];
    for (const failure of failures) this.#warn(`the demonstration failed: ${failure}`);
    return failures.length > 0 ? 1 : 0;
  }

  /** A person, or the play where nobody sits there. */
  async #ui(): Promise<InteractiveUI> {
    const { stdin, stdout, env, interactive } = this.#io;
    const own = withoutCredentials(env);
    const painted = this.#request.noColor ? { ...own, NO_COLOR: '1' } : own;
    if (interactive) {
      // Programs that use these classes may have another screen, or none.
      const { TerminalInteractiveUI } = await import('./ui/terminal-interactive-ui.ts');
      const { project, replicaHome } = this.#stage;
      const memory = new KeptPrompts({ root: join(replicaHome, 'history'), project });
      const during: PassSignals = (work, pass) => this.#io.interrupts.during(work, pass);
      return new TerminalInteractiveUI({
        ...{ stdin, stdout, env: painted, cwd: project },
        ...{ memory, during },
      });
    }
    if (!this.#request.demo) {
      const hint = 'for one turn without a terminal: savepoint chat --print PROMPT';
      throw new UsageError('a conversation needs a terminal', hint);
    }
    const write = (text: string): void => this.#io.out(text);
    return new PlayedUI({ project: this.#stage.project, write });
  }

  async #configured(): Promise<ReplicaConfig> {
    const config = await this.#configManager.getProjectConfig();
    const { model, permissionMode } = this.#request;
    return {
      ...config,
      ...(model === null ? {} : { model }),
      ...(permissionMode === null ? {} : { permissionMode: permissionModeOf(permissionMode) }),
    };
  }

  async #session(): Promise<Session> {
    const { resume } = this.#request;
    const { project } = this.#stage;
    if (resume === null) return this.#sessions.create({ project });
    const { sessions, problems } = await this.#sessions.list(project);
    // The one that is meant may be among them.
    for (const problem of problems) this.#warn(problem);
    const [newest] = sessions;
    if (resume !== 'latest') return resumed(sessions, resume);
    if (newest === undefined) throw new UsageError('there is no conversation to take up here');
    return newest;
  }

  /** A folder that cannot be a project leaves the SDK's own checkpoints, and says so. */
  async #openFiles(): Promise<EngineFiles | null> {
    const { project, env, home } = this.#stage;
    const surroundings = { env, homeDirectory: home, platform: this.#io.platform };
    const onGap = (message: string): void => void this.#logger.warn(message);
    try {
      return await openEngineFiles({ project, surroundings, onGap });
    } catch (error) {
      const reason = messageOf(error);
      this.#warn(`Savepoint keeps no timeline here: ${reason}`);
      return null;
    }
  }

  async #checkpointsFor(
    session: Session,
    { enableFileCheckpointing, checkpointKeepCount }: ReplicaConfig,
  ): Promise<CheckpointManager | null> {
    if (!enableFileCheckpointing) return null;
    const checkpoints = new CheckpointManager({
      sessionDir: this.#sessions.directoryOf(session.id),
      sessionId: session.id,
      maxCheckpoints: checkpointKeepCount,
      warn: (message) => this.#warn(message),
    });
    await checkpoints.initialize();
    return checkpoints;
  }

  async #showConfig(): Promise<number> {
    await this.#configManager.getProjectConfig();
    const { warnings } = this.#configManager;
    const effective = this.#configManager.effective();
    const printed: PrintedConfig = { version: 1, settings: effective, warnings };
    return this.#show(printed, settingsText(effective, this.#paint), warnings);
  }

  async #showSessions(): Promise<number> {
    const { sessions, problems } = await this.#sessions.list(this.#stage.project);
    const [columns, paint] = [this.#room(), this.#paint];
    const shown = { open: null, now: Date.now(), columns, paint, numbered: false };
    return this.#show(sessionsJson(sessions, problems), sessionTable(sessions, shown), problems);
  }

  /** As JSON, which holds the warnings, or in lines. */
  #show(printed: object, lines: readonly string[], warnings: readonly string[]): number {
    const { json } = this.#request;
    if (json) this.#io.out(`${JSON.stringify(printed, null, 2)}\n`);
    else for (const line of lines) this.#io.out(`${line}\n`);
    if (!json) for (const warning of warnings) this.#warn(warning);
    return 0;
  }

  #columns(): number {
    return this.#io.stdout.columns || 80;
  }

  /** What is written into a file or a pipe is not wrapped. */
  #room(): number {
    return this.#io.terminal ? this.#columns() : Number.POSITIVE_INFINITY;
  }

  #sdkKeepsFiles(): boolean {
    // Any other value is the word of a person who wants the engine alone.
    return (this.#io.env[VARIABLE] ?? '1') === '1';
  }

  #warn(message: string): void {
    if (this.#screen === null) {
      const lines = message.split('\n').flatMap((line) => wrapWords(line, this.#room()));
      this.#io.err(`${lines.join('\n')}\n`);
    } else this.#screen.displayWarning(message);
  }
}

function resumed(sessions: readonly Session[], wanted: string): Session {
  try {
    return findSession(sessions, wanted, 'claude-replica sessions');
  } catch (error) {
    throw error instanceof CommandRefused ? new UsageError(error.message) : error;
  }
}

function sessionsJson(sessions: readonly Session[], problems: readonly string[]): PrintedSessions {
  const listed = sessions.map(({ turns, createdAt, updatedAt, ...session }) => ({
    ...session,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    prompts: turns.length,
  }));
  return { version: 1, sessions: listed, problems };
}

function permissionModeOf(text: string): ReplicaConfig['permissionMode'] {
  const mode = PERMISSION_MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  throw new UsageError(
    `--permission-mode must be one of ${PERMISSION_MODES.join(', ')}, not "${text}"`,
  );
}

const VARIABLE = 'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING';

const WITH_WAY_BACK =
  'Each prompt is a checkpoint: Esc Esc takes back files, conversation or both.';
const WITHOUT_WAY_BACK = 'Files are not on record here (enableFileCheckpointing is false).';
const OFFLINE =
  'The demonstration model answers, without a network: try “write notes.txt: hello”, or “help”.';
