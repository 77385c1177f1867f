import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecordingUI } from '../../../test/replica/recording-ui.ts';
import { ExecutionCheckpoints, PersistenceManager } from '../../execution/index.ts';
import {
  memoryStore,
  openSavepoint,
  type Savepoint,
  type StepContext,
  type Store,
} from '../../index.ts';
import { currentSeq, findExecution } from '../../store/find.ts';
import { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import { registerBuiltinCommands } from '../commands/builtin-commands.ts';
import { CommandRegistry } from '../commands/command-registry.ts';
import { ConfigManager, SDKConfigLoader } from '../config/config-manager.ts';
import { FileLogger } from '../file-logger.ts';
import { EngineFiles } from '../files/engine-files.ts';
import { PermissionModes } from '../permissions/permission-manager.ts';
import type { Prompt } from '../sdk/conversation.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { InteractiveRunner } from './interactive-runner.ts';

let scratch: string;
let ui: RecordingUI;
let running: Promise<void>;
let checkpoints: CheckpointManager;
/** The engine, where a test wants it. */
let files: EngineFiles | null;
let sent: Prompt[];
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'replica-checkpoint-command-'));
  ui = new RecordingUI();
  files = null;
  sent = [];
});
afterEach(async () => {
  ui.handlers?.onExit();
  await running;
  await files?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** The runner at work, with no model behind it. */
async function start(enabled: boolean): Promise<void> {
  const project = join(scratch, 'project');
  mkdirSync(project, { recursive: true });
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
      sendPrompt: async (prompt) => void sent.push(prompt),
      interrupt: async () => undefined,
      setPermissionMode: async () => undefined,
      close: async () => undefined,
      getQueryInstance: () => null,
    }),
    sessionManager,
    configManager: new ConfigManager(
      new SDKConfigLoader({ home: scratch, project, environment: {} }),
    ),
    commands,
    files,
    sdkKeepsFiles: false,
    logger: new FileLogger({ file: join(scratch, 'replica.log') }),
    paint: (_style, text) => text,
    columns: () => 80,
    status: 'no model',
    greeting: null,
    past: async () => [],
    modes: new PermissionModes('default'),
    project: '/project',
    modelLabel: null,
    folder: '/project',
    mcpServers: async () => [],
    models: async () => [],
    setModel: async () => undefined,
    usage: () => null,
    permissions: { granted: () => [], takeBack: async () => undefined },
    ownEnv: {},
    custom: { project, home: scratch, replicaHome: scratch },
  });
  running = runner.run();
  await vi.waitFor(() => expect(ui.handlers).not.toBeNull());
}

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

describe('checkpoints that are no prompts of the conversation', () => {
  const inProject = (name: string): string => join(scratch, 'project', name);
  const read = (name: string): string => readFileSync(inProject(name), 'utf8');
  let savepoint: Savepoint;

  beforeEach(async () => {
    mkdirSync(join(scratch, 'project'));
    writeFileSync(inProject('a.txt'), 'as saved\n');
    savepoint = await openSavepoint({
      project: join(scratch, 'project'),
      store: await memoryStore(),
      scan: true,
    });
    files = new EngineFiles(savepoint, (gap) => expect.unreachable(gap));
    ui.rewindChoice = 'files';
  });

  /** The agent of this conversation writes into a file. */
  async function rewritten(messageId = 'rewrite it'): Promise<void> {
    const { sessionId } = checkpoints;
    const request = { sessionId, messageId, paths: ['a.txt'] };
    const capture = await savepoint.captureBefore(request);
    writeFileSync(inProject('a.txt'), 'rewritten\n');
    await savepoint.captureAfter(capture);
    await savepoint.endTurn(sessionId);
  }

  /** A prompt of another session, under which a file is written. */
  async function otherSession(): Promise<void> {
    const message = { sessionId: 'other', messageId: 'their prompt', description: 'their prompt' };
    await savepoint.checkpoint(message);
    const capture = await savepoint.captureBefore({ ...message, paths: ['theirs.txt'] });
    writeFileSync(inProject('theirs.txt'), 'theirs\n');
    await savepoint.captureAfter(capture);
    await savepoint.endTurn('other');
  }

  it('puts files back as they were before the prompt that is chosen from the list', async () => {
    await start(true);
    const promptId = '11111111-1111-4111-8111-111111111111';
    checkpoints.captureCheckpoint(promptId, 'rewrite it', checkpoints.sessionId);
    await files?.promptBegins({
      sessionId: checkpoints.sessionId,
      parentSessionId: null,
      promptId,
      description: 'rewrite it',
      isRun: false,
    });
    await rewritten(promptId);
    ui.choose = (items) => items[1]?.id ?? null;
    ui.handlers?.onSubmit('/checkpoint');
    await vi.waitFor(() => expect(ui.successes).toEqual(['Restored to checkpoint: rewrite it']));
    expect(read('a.txt')).toBe('as saved\n');
  });

  it('offers in the menu of Esc Esc what /checkpoint save has made, and restores it', async () => {
    await start(true);
    expect(await answerTo('/checkpoint save before the rewrite')).toMatch(/^Saved /);
    await rewritten();
    ui.pick = (entries) => entries.find((one) => one.description === 'before the rewrite');
    await ui.handlers?.onRewind();
    expect(ui.menus[0]?.map(({ description }) => description)).toEqual(['before the rewrite']);
    expect(ui.previews[0]?.choices).toEqual(['files']);
    expect(read('a.txt')).toBe('as saved\n');
    expect(ui.successes).toEqual(['Restored to checkpoint: before the rewrite']);
    ui.handlers?.onSubmit('/undo');
    await vi.waitFor(() => expect(read('a.txt')).toBe('rewritten\n'));
  });

  it('offers in the list of /checkpoint what /checkpoint save has made, among the prompts by time', async () => {
    await start(true);
    checkpoints.captureCheckpoint('11111111-1111-4111-8111-111111111111', 'a prompt', 'session');
    await answerTo('/checkpoint save before the rewrite');
    await rewritten();
    ui.choose = (items) => items[1]?.id ?? null;
    ui.handlers?.onSubmit('/checkpoint');
    await vi.waitFor(() => expect(ui.successes).toHaveLength(1));
    expect(ui.lists[0]?.items.map(({ text }) => text.split('\n')[0])).toEqual([
      '(current)',
      'before the rewrite',
      'a prompt',
    ]);
    expect(read('a.txt')).toBe('as saved\n');
  });

  it('goes to a label by /rewind LABEL, and says when there is no such checkpoint', async () => {
    await start(true);
    const said = await answerTo('/checkpoint save before the rewrite');
    const id = said?.split(' ')[1] ?? '';
    expect(await answerTo(`/label ${id} golden`)).toContain('golden');
    await rewritten();
    expect(await answerTo('/rewind silver')).toMatch(/silver.*see \/checkpoint list$/);
    ui.handlers?.onSubmit('/rewind golden');
    await vi.waitFor(() => expect(ui.successes).toHaveLength(1));
    expect(read('a.txt')).toBe('as saved\n');
    ui.rewindChoice = null;
    expect(await answerTo('/rewind golden')).toBe('Exited checkpoint selection.');
  });

  it('lets a checkpoint of another session be chosen and restored', async () => {
    await start(true);
    await otherSession();
    const titles: string[] = [];
    ui.choose = (items) => {
      titles.push(items.map(({ text }) => text.split('\n')[0]).join(', '));
      return items.at(-1)?.id ?? null;
    };
    ui.handlers?.onSubmit('/checkpoint');
    await vi.waitFor(() => expect(ui.successes).toHaveLength(1));
    expect(titles).toEqual(['(current), Checkpoints of other sessions', 'their prompt']);
    expect(ui.previews[0]?.choices).toEqual(['files']);
    expect(existsSync(inProject('theirs.txt'))).toBe(false);
  });
});

describe('/checkpoint where executions are on record', () => {
  const inProject = (name: string): string => join(scratch, 'project', name);
  const read = (name: string): string => readFileSync(inProject(name), 'utf8');
  let savepoint: Savepoint;
  let store: Store;

  /** The engine, which whatever runs in the project works with as well. */
  beforeEach(async () => {
    mkdirSync(join(scratch, 'project'));
    writeFileSync(inProject('a.txt'), 'mine\n');
    store = await memoryStore();
    savepoint = await openSavepoint({ project: join(scratch, 'project'), store });
    files = new EngineFiles(savepoint, (gap) => expect.unreachable(gap));
  });

  async function write(name: string, text: string, sessionId = 'exec-123'): Promise<void> {
    const request = { sessionId, messageId: text, paths: [name] };
    const capture = await savepoint.captureBefore(request);
    writeFileSync(inProject(name), text);
    await savepoint.captureAfter(capture);
  }

  /** As a program that keeps its own state does. */
  async function keepCheckpoints(): Promise<void> {
    const persistence = new PersistenceManager(await savepoint.storage());
    const kept = new ExecutionCheckpoints(persistence, { files: savepoint });
    const step = { executionId: 'exec-123', context: { user: 'me' }, variables: { size: 7n } };
    const state = { seen: new Set(['a.txt']) };
    await write('a.txt', 'processed\n');
    await kept.createCheckpoint({ ...step, stepName: 'processing', stepIndex: 0, state });
    await write('a.txt', 'broken\n');
    const failed = { stepName: 'sending', stepIndex: 1, state: {}, status: 'failed' } as const;
    await kept.createCheckpoint({ ...step, ...failed });
  }

  async function workInSteps(): Promise<void> {
    const run = await savepoint.execution('exec-9', { state: { count: 0 } });
    const count = (context: StepContext<{ count: number }>) => {
      context.state.count += 1;
    };
    await run.step('one', count);
    await run.step('two', async (context: StepContext<{ count: number }>) => {
      count(context);
      await context.effect('sent a mail');
      await context.files.write('a.txt', 'by two\n');
    });
    void run.step('three', async (context) => {
      await context.files.write('a.txt', 'half\n');
      await new Promise(() => undefined);
    });
    await vi.waitFor(() => expect(read('a.txt')).toBe('half\n'));
    // Its process ends in the middle of a step.
    const held = await findExecution(store, 'exec-9');
    if (held === null) throw new Error('it is not on record');
    const free = { ...held, owner: null, leaseUntil: null, token: held.token + 1 };
    await store.timeline.commit({ base: await currentSeq(store), executions: [free] });
  }

  const choose = (...texts: string[]): void => {
    ui.choose = (items) => {
      const text = texts.shift() ?? 'nothing';
      return items.find((item) => item.text.startsWith(text))?.id ?? null;
    };
  };

  it('shows them after the prompts, also where there is no prompt yet', async () => {
    await keepCheckpoints();
    await start(true);
    expect(await answerTo('/checkpoint')).toBe('Exited checkpoint selection.');
    checkpoints.captureCheckpoint('11111111-1111-4111-8111-111111111111', 'hello', 'session');
    expect(await answerTo('/restore')).toBe('Exited checkpoint selection.');
    const [first = [], second = []] = ui.lists.map(({ items }) => items.map(({ text }) => text));
    expect(first).toEqual([CURRENT, 'Restore exec-123\n  Step: sending']);
    expect(second).toEqual([CURRENT, 'hello\n  just now', first[1]]);
  });

  it('takes files back to the last step that succeeded, and tells the agent its state', async () => {
    await keepCheckpoints();
    await start(true);
    choose('Restore exec-123');
    await answerTo('/checkpoint');
    expect(ui.successes).toEqual(['Restored exec-123 to after step 0 (processing)']);
    expect(ui.questions).toEqual(['Take exec-123 to after step 0 (processing)?']);
    expect(read('a.txt')).toBe('processed\n');
    ui.handlers?.onSubmit('go on');
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    const told = sent[0]?.context.join('\n') ?? '';
    expect(told).toContain('read them again before you edit them:\na.txt\n');
    expect(told).toContain('restored the execution exec-123 to after step 0 (processing)');
    expect(told).toContain("state: { seen: Set(1) { 'a.txt' } }");
    expect(told).toContain("context: { user: 'me' }\nvariables: { size: 7n }");
  });

  it('leaves what other agents did since, and names it', async () => {
    await keepCheckpoints();
    await write('theirs.txt', 'theirs\n', 'other');
    await start(true);
    choose('Restore exec-123');
    await answerTo('/checkpoint');
    expect(ui.successes).toEqual(['Restored exec-123 to after step 0 (processing)']);
    expect(ui.block.join(' ').replace(/\s+/g, ' ')).toContain(
      'others changed these since, and they stay as they are (theirs.txt)',
    );
    expect(read('a.txt')).toBe('processed\n');
    expect(read('theirs.txt')).toBe('theirs\n');
  });

  it('changes nothing when the person says no to the plan', async () => {
    await keepCheckpoints();
    await start(true);
    choose('Restore exec-123');
    ui.agrees = false;
    expect(await answerTo('/checkpoint')).toBe('Exited checkpoint selection.');
    expect(ui.block.join('\n')).toContain('restore   a.txt');
    expect(read('a.txt')).toBe('broken\n');
    expect(ui.successes).toEqual([]);
  });

  it('makes durable steps ready to go on, and takes back what was left half done', async () => {
    await workInSteps();
    await start(true);
    choose('Restore exec-9', 'Go on from after step 1 (two)');
    await answerTo('/checkpoint');
    expect(ui.successes).toEqual(['Restored exec-9 to after step 1 (two)']);
    expect(ui.infos).toContain(
      'Its program runs step 2 next, when it is started and opens exec-9 again.',
    );
    expect(read('a.txt')).toBe('by two\n');
    expect((await savepoint.execution('exec-9')).done).toBe(2);
  });

  it('rolls durable steps back to one that was chosen, after naming what cannot be undone', async () => {
    await workInSteps();
    await start(true);
    choose('Restore exec-9', 'Go on', 'Restore exec-9', 'Roll back to after step 0 (one)');
    await answerTo('/checkpoint');
    await answerTo('/checkpoint');
    expect(ui.block).toContain('  cannot be undone: sent a mail');
    expect(read('a.txt')).toBe('mine\n');
    expect((await savepoint.execution('exec-9')).done).toBe(1);
  });

  it('names who holds an execution, and leaves it alone', async () => {
    await savepoint.execution('exec-9');
    await start(true);
    choose('Restore exec-9');
    ui.handlers?.onSubmit('/checkpoint');
    await vi.waitFor(() => expect(ui.errors).toHaveLength(1));
    expect(ui.errors[0]).toMatch(/^Restore failed: execution exec-9 is held by process \d+ on /);
  });
});

const CURRENT = '(current)\n  Do not restore, continue with the current session.';
