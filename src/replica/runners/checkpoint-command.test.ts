import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecordingUI } from '../../../test/replica/recording-ui.ts';
import { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import { registerBuiltinCommands } from '../commands/builtin-commands.ts';
import { CommandRegistry } from '../commands/command-registry.ts';
import { ConfigManager } from '../config/config-manager.ts';
import { SDKConfigLoader } from '../config/sdk-config-loader.ts';
import type { Logger } from '../logger.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { InteractiveRunner } from './interactive-runner.ts';

let scratch: string;
let ui: RecordingUI;
let running: Promise<void>;
let checkpoints: CheckpointManager;
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'replica-checkpoint-command-'));
  ui = new RecordingUI();
});
afterEach(async () => {
  ui.handlers?.onExit();
  await running;
  rmSync(scratch, { recursive: true, force: true });
});

/** The runner at work, with no model behind it. */
async function start(enabled: boolean): Promise<void> {
  const project = join(scratch, 'project');
  mkdirSync(project);
  const sessionManager = new SessionManager({ root: join(scratch, 'sessions') });
  const session = await sessionManager.create({ project });
  const sessionDir = sessionManager.directoryOf(session.id);
  checkpoints = new CheckpointManager({ sessionDir, sessionId: session.id });
  await checkpoints.initialize();
  const commands = new CommandRegistry();
  registerBuiltinCommands(commands);
  const runner = new InteractiveRunner({
    ui,
    session,
    checkpointManager: enabled ? checkpoints : null,
    checkpointsFor: async () => null,
    converse: () => ({
      start: () => undefined,
      sendPrompt: async () => undefined,
      interrupt: async () => undefined,
      close: async () => undefined,
      getQueryInstance: () => null,
    }),
    sessionManager,
    configManager: new ConfigManager(
      new SDKConfigLoader({ home: scratch, project, environment: {} }),
    ),
    commands,
    files: null,
    sdkKeepsFiles: false,
    logger: SILENT,
    paint: (_style, text) => text,
    columns: () => 80,
    status: 'no model',
    greeting: [],
    mcpServers: async () => [],
  });
  running = runner.run();
  await vi.waitFor(() => expect(ui.handlers).not.toBeNull());
}

const SILENT: Logger = {
  info: async () => undefined,
  warn: async () => undefined,
  error: async () => undefined,
};

/** What the person is told after typing this. */
async function answerTo(text: string): Promise<string | undefined> {
  const before = ui.infos.length;
  ui.handlers?.onSubmit(text);
  await vi.waitFor(() => expect(ui.infos.length).toBeGreaterThan(before));
  return ui.infos.at(-1);
}

describe('/checkpoint in a running conversation', () => {
  it('says when there are no checkpoints, and opens no list', async () => {
    await start(true);
    expect(await answerTo('/checkpoint')).toBe('No checkpoints found.');
    expect(ui.lists).toEqual([]);
  });

  it('says so when the list is left, by Esc or by (current)', async () => {
    await start(true);
    checkpoints.captureCheckpoint('11111111-1111-4111-8111-111111111111', 'hello', 'session');
    expect(await answerTo('/rewind')).toBe('Exited checkpoint selection.');
    ui.choose = (items) => items[0]?.id ?? null;
    expect(await answerTo('/restore')).toBe('Exited checkpoint selection.');
    expect(ui.lists.map(({ items }) => items.map(({ id }) => id))).toEqual(
      Array(2).fill(['__current__', '11111111-1111-4111-8111-111111111111']),
    );
  });

  it('says so where checkpoints are turned off', async () => {
    await start(false);
    expect(await answerTo('/checkpoint')).toBe('Checkpoint feature not enabled');
  });

  it('goes on after a command that failed, and keeps a name that was given', async () => {
    await start(true);
    expect(await answerTo('/chekpoint')).toBe(
      'unknown command /chekpoint; did you mean /checkpoint?',
    );
    expect(await answerTo('/save first')).toBe(
      'Saved as "first"; take it up again with /load first',
    );
    ui.handlers?.onSubmit('/status');
    await vi.waitFor(() => expect(ui.block.join('\n')).toContain('"first", 0 prompts'));
    expect(await answerTo('/clear')).toMatch(/^A new conversation/);
    expect(await answerTo('/load first')).toBe('Resumed "first", 0 prompts so far.');
  });
});
