import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CheckpointManager } from '../../src/replica/checkpoint/checkpoint-manager.ts';
import { ConfigManager, SDKConfigLoader } from '../../src/replica/config/config-manager.ts';
import { FileLogger } from '../../src/replica/file-logger.ts';
import { type EngineFiles, openEngineFiles } from '../../src/replica/files/engine-files.ts';
import type { InteractiveRunner } from '../../src/replica/runners/interactive-runner.ts';
import { RunnerFactory } from '../../src/replica/runners/runner-factory.ts';
import type { Sdk } from '../../src/replica/sdk/load-sdk.ts';
import type { Session } from '../../src/replica/sessions/session-manager.ts';
import { SessionManager } from '../../src/replica/sessions/session-manager.ts';
import { RecordingUI } from './recording-ui.ts';

export interface RunnerRequest {
  /** The SDK; where nothing is said to a model, none is needed. */
  readonly sdk?: Sdk;
  /** Of the SDK's process, beside what every one gets here. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the engine keeps files. */
  readonly engine?: boolean;
  /** What the session's metadata.json holds at first; null where checkpoints are turned off. */
  readonly prompts?: readonly string[] | null;
}

/** A runner as `Application` makes it, of real parts, with a person whom the test plays. */
export class RunnerBed {
  readonly scratch: string = realpathSync(mkdtempSync(join(tmpdir(), 'replica-runner-')));
  readonly project: string = join(this.scratch, 'project');
  readonly home: string = join(this.scratch, 'home');
  readonly ui: RecordingUI = new RecordingUI();
  readonly sessions: SessionManager = new SessionManager({ root: join(this.scratch, 'sessions') });
  readonly #log: string = join(this.scratch, 'replica.log');
  #session: Session | null = null;
  #files: EngineFiles | null = null;
  #running: Promise<void> | null = null;

  constructor() {
    mkdirSync(this.project);
    mkdirSync(this.home);
  }

  /** The session that the runner began with. */
  get session(): Session {
    if (this.#session === null) throw new Error('there is no runner yet');
    return this.#session;
  }

  /** The engine, where it was asked for. */
  get files(): EngineFiles | null {
    return this.#files;
  }

  async runner(request: RunnerRequest = {}): Promise<InteractiveRunner> {
    const { sdk = NO_SDK, env = {}, engine = false, prompts = [] } = request;
    const { project, home } = this;
    const configManager = new ConfigManager(
      new SDKConfigLoader({ project, home, environment: {} }),
    );
    const config = { ...(await configManager.getProjectConfig()) };
    const session = await this.sessions.create({ project });
    this.#session = session;
    if (engine) this.#files = await this.#openFiles();
    const factory = new RunnerFactory({
      sdk,
      config: { ...config, permissionMode: 'bypassPermissions' },
      env: { PATH: process.env.PATH, HOME: home, IS_SANDBOX: '1', ...env },
      project,
      session,
      files: this.#files,
      checkpointManager: prompts === null ? null : await this.checkpoints(session, prompts),
      checkpointsFor: (one) => this.checkpoints(one),
      sessionManager: this.sessions,
      configManager,
      sdkKeepsFiles: true,
      logger: new FileLogger({ file: this.#log }),
      paint: (_style, text) => text,
      columns: () => 80,
      modelLabel: 'a test',
      ownEnv: { PATH: process.env.PATH, HOME: home },
      custom: { project, home, replicaHome: join(this.scratch, 'replica-home') },
      folder: 'project',
      greeting: null,
    });
    return factory.createInteractiveRunner(this.ui);
  }

  /** Runs it until the bed is removed. */
  run(runner: InteractiveRunner): void {
    this.#running = runner.run();
  }

  async checkpoints({ id }: Session, prompts: readonly string[] = []): Promise<CheckpointManager> {
    const sessionDir = this.sessions.directoryOf(id);
    const checkpoints = new CheckpointManager({ sessionDir, sessionId: id });
    await checkpoints.initialize();
    for (const prompt of prompts) checkpoints.captureCheckpoint(`id of ${prompt}`, prompt, id);
    await checkpoints.flush();
    return checkpoints;
  }

  metadataOf({ id }: Pick<Session, 'id'>): { checkpoints: Record<string, unknown>[] } {
    const file = join(this.sessions.directoryOf(id), 'checkpoints', 'metadata.json');
    return JSON.parse(readFileSync(file, 'utf8'));
  }

  /** What was written to the log, oldest first. */
  logged(): Record<string, unknown>[] {
    if (!existsSync(this.#log)) return [];
    const lines = readFileSync(this.#log, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  }

  async remove(): Promise<void> {
    this.ui.handlers?.onExit();
    await this.#running;
    await this.#files?.close();
    rmSync(this.scratch, { recursive: true, force: true });
  }

  #openFiles(): Promise<EngineFiles> {
    const env = { PATH: process.env.PATH, HOME: this.home };
    const surroundings = { env, homeDirectory: this.home, platform: process.platform };
    return openEngineFiles({ project: this.project, surroundings, onGap: () => undefined });
  }
}

const NO_SDK: Sdk = {
  query: () => {
    throw new Error('nobody is to be asked here');
  },
};
