import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import {
  invalidRequest,
  type ScriptedModel,
  say,
  slowly,
  startScriptedModel,
  think,
  useTool,
} from '../../testing/index.ts';
import { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import { PermissionManager } from '../permissions/permission-manager.ts';
import type { PermissionAnswer, PermissionQuestion } from '../ui/interactive-ui.ts';
import type { ConversationEvents, ConversationStart, TurnEnd } from './conversation.ts';
import { loadSdk } from './load-sdk.ts';
import { MessageRouter } from './message-router.ts';
import { type QueryOptions, SDKQueryExecutor } from './sdk-query-executor.ts';
import { StreamingQueryManager } from './streaming-query-manager.ts';

/** For a machine that has other things to do. */
const PATIENTLY = { timeout: 30_000 };
const UNKNOWN =
  'Checkpoint data not found in SDK. This may happen if the session was not properly completed or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING was not set.';

describe('a conversation with the real SDK', () => {
  it('captures prompts, rewinds files, survives an interrupt, and forks', () =>
    inProject(async ({ file, write, model, converse }) => {
      await write('a.txt', 'one\n');
      const sessionId = randomUUID();
      const first = await converse({ sessionId, from: null });
      expect(first.live.getQueryInstance()).toBeNull();

      // Scenario: handle a user message and capture a checkpoint
      const one = await first.ask('write it', ['only for the agent']);
      expect(one).toMatchObject({ outcome: 'done', text: 'I wrote it.' });
      expect(await file('a.txt')).toBe('two\n');
      expect(first.heard).toEqual([
        'call Read',
        'result ok',
        'call Write',
        'result ok',
        'thinking: let me see',
        'answer: I wrote it.',
        'end',
      ]);
      const asked = model.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? [];
      const texts = asked.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      expect(texts.indexOf('only for the agent')).toBeGreaterThan(-1);
      expect(texts.indexOf('write it')).toBe(texts.indexOf('only for the agent') + 1);

      const query = first.live.getQueryInstance();
      const two = await first.ask('break it');
      expect(two.outcome).toBe('done');
      expect(first.heard).toContain('result error');
      expect(await file('a.txt')).toBe('three\n');
      // The uuids are ours, each once, and no tool result is among them.
      expect(first.checkpoints.listCheckpoints()).toMatchObject([
        { id: two.promptId, description: 'break it', sessionId },
        { id: one.promptId, description: 'write it', sessionId },
      ]);

      // Scenario: provide access to the query
      expect(first.live.getQueryInstance()).toBe(query);
      // Scenario: restore files to a checkpoint
      await first.checkpoints.restoreCheckpoint(two.promptId, query);
      expect(await file('a.txt')).toBe('two\n');
      await first.checkpoints.restoreCheckpoint(one.promptId, query);
      expect(await file('a.txt')).toBe('one\n');
      const unknown = first.checkpoints.restoreCheckpoint(randomUUID(), query);
      await expect(unknown).rejects.toThrow(new Error(UNKNOWN));

      const interrupted = first.ask('talk on');
      await first.hears('answer');
      await first.live.interrupt();
      expect(await interrupted).toMatchObject({ outcome: 'interrupted', text: '' });
      expect(await first.ask('fail')).toMatchObject({
        outcome: 'failed',
        text: expect.stringContaining('out of luck'),
      });
      expect((await first.ask('say hello')).outcome).toBe('done');
      expect(first.live.getQueryInstance()).toBe(query);
      expect(first.processes).toHaveLength(1);
      expect(first.ends).toHaveLength(5);
      await first.close();
      expect(first.live.getQueryInstance()).toBeNull();

      const from = { sessionId, lastMessageId: one.lastMessageId, fork: true };
      const forked = await converse({ sessionId: randomUUID(), from });
      const three = await forked.ask('say hello');
      expect(three.outcome).toBe('done');
      expect(promptsIn(model)).toEqual(['write it', 'say hello']);
      expect(forked.checkpoints.listCheckpoints()).toMatchObject([
        { id: three.promptId, sessionId: forked.sessionId },
      ]);
      // What the SDK kept for the old conversation serves the new one.
      const dry = await forked.live.getQueryInstance()?.rewindFiles(one.promptId, { dryRun: true });
      expect(dry?.canRewind).toBe(true);
      await forked.close();

      const whole = { sessionId, lastMessageId: null, fork: false };
      const resumed = await converse({ sessionId, from: whole });
      await resumed.ask('say hello');
      expect(promptsIn(model)).toEqual(
        expect.arrayContaining(['write it', 'break it', 'talk on', 'fail', 'say hello']),
      );
      await resumed.close();
    }));

  it('goes on with a new query when the binary was killed', () =>
    inProject(async ({ model, converse }) => {
      const talk = await converse({ sessionId: randomUUID(), from: null });
      // Nothing is written down of a conversation that dies this early: it begins anew.
      const early = talk.ask('talk on');
      await vi.waitFor(() => expect(talk.processes).toHaveLength(1), PATIENTLY);
      kill(talk.processes.at(-1));
      expect(await early).toMatchObject({ outcome: 'failed', lastMessageId: null });
      expect((await early).text).toMatch(/^The agent's process has ended: .*SIGKILL/);
      expect(talk.live.getQueryInstance()).toBeNull();
      expect((await talk.ask('say hello')).outcome).toBe('done');

      const late = talk.ask('talk on');
      await talk.hears('answer');
      kill(talk.processes.at(-1));
      expect((await late).outcome).toBe('failed');
      expect(talk.live.getQueryInstance()).toBeNull();
      expect((await talk.ask('say hello')).outcome).toBe('done');
      expect(promptsIn(model)[0]).toBe('say hello');
      expect(promptsIn(model).length).toBeGreaterThan(1);
      expect(talk.ends).toHaveLength(4);

      // Another program with the same session: what is there is gone on with, not refused.
      await talk.close();
      const again = await converse({ sessionId: talk.sessionId, from: null }, STARTED_BY_SDK);
      expect((await again.ask('say hello')).outcome).toBe('done');
      expect(promptsIn(model).length).toBeGreaterThan(2);
      await again.close();

      const gone = randomUUID();
      const from = { sessionId: gone, lastMessageId: null, fork: false };
      const lost = await converse({ sessionId: gone, from }, STARTED_BY_SDK);
      expect(await lost.ask('say hello')).toMatchObject({
        outcome: 'failed',
        text: expect.stringContaining('No conversation found'),
      });
      await lost.close();
    }));

  it('asks before tools act, and keeps the list of prompts where the SDK keeps no files', () =>
    inProject(async ({ file, folder, converse }) => {
      const questions: PermissionQuestion[] = [];
      const answers: Promise<PermissionAnswer>[] = [];
      const permissions = new PermissionManager({
        askPermission: (question) => {
          questions.push(question);
          return answers.shift() ?? new Promise(() => undefined);
        },
        select: async () => null,
      });
      const mcpServers = { docs: { command: join(folder, 'no-such-program') } };
      const talk = await converse(
        { sessionId: randomUUID(), from: null },
        {
          permissionMode: 'default',
          enableFileCheckpointing: false,
          canUseTool: permissions.canUseTool,
          mcpServers,
        },
      );
      answers.push(Promise.resolve('always'), Promise.resolve('no'));
      const one = await talk.ask('make two files');
      expect(one.outcome).toBe('done');
      expect(await file('b.txt')).toBe('b\n');
      expect(await file('c.txt')).toBe('c\n');
      expect(talk.heard).toEqual(expect.arrayContaining(['result ok', 'result error']));
      expect(questions.map(({ toolName }) => toolName)).toEqual(['Write', 'Bash']);
      expect(questions[1]?.details[0]).toBe('rm b.txt');
      // What was allowed is for the session: nothing about it is in the project.
      expect(await readdir(join(folder, 'project'))).toEqual(['b.txt', 'c.txt']);

      const two = talk.ask('remove them');
      await talk.hears('call Bash');
      await vi.waitFor(() => expect(questions).toHaveLength(3), PATIENTLY);
      await talk.live.interrupt();
      expect((await two).outcome).toBe('interrupted');
      expect(questions[2]?.signal.aborted).toBe(true);
      expect(await file('b.txt')).toBe('b\n');

      expect(talk.checkpoints.listCheckpoints()).toHaveLength(2);
      const query = talk.live.getQueryInstance();
      const restored = talk.checkpoints.restoreCheckpoint(one.promptId, query);
      await expect(restored).rejects.toThrow(new Error(UNKNOWN));
      const failed = [{ name: 'docs', status: 'failed' }];
      await vi.waitFor(
        async () => expect(await query?.mcpServerStatus()).toMatchObject(failed),
        PATIENTLY,
      );
      await talk.close();
    }));
});

interface Talk {
  readonly live: StreamingQueryManager;
  readonly checkpoints: CheckpointManager;
  readonly sessionId: string;
  /** What was told, pieces of one block joined. */
  readonly heard: string[];
  readonly ends: TurnEnd[];
  readonly processes: ChildProcess[];
  ask(text: string, context?: string[]): Promise<TurnEnd>;
  hears(what: string): Promise<void>;
  close(): Promise<void>;
}

interface Place {
  readonly model: ScriptedModel;
  readonly folder: string;
  converse(start: ConversationStart, more?: Partial<QueryOptions>): Promise<Talk>;
  write(name: string, text: string): Promise<void>;
  file(name: string): Promise<string>;
}

function inProject(body: (place: Place) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const project = join(folder, 'project');
    const home = join(folder, 'home');
    await mkdir(project);
    await mkdir(home);
    const path = join(project, 'a.txt');
    const model = await startScriptedModel({
      'write it': [
        [useTool('Read', { file_path: path })],
        [useTool('Write', { file_path: path, content: 'two\n' })],
        [think('let me see'), say('I wrote it.')],
      ],
      'break it': [
        [useTool('Bash', { command: 'exit 3' })],
        [useTool('Write', { file_path: path, content: 'three\n' })],
        [say('Broken.')],
      ],
      'make two files': [
        [useTool('Write', { file_path: join(project, 'b.txt'), content: 'b\n' })],
        [useTool('Write', { file_path: join(project, 'c.txt'), content: 'c\n' })],
        [useTool('Bash', { command: 'rm b.txt' })],
        [say('Two files.')],
      ],
      'remove them': [[useTool('Bash', { command: 'rm b.txt c.txt' })]],
      'talk on': [slowly(50, [say('on and on '.repeat(400))])],
      // However often it is tried.
      fail: [() => invalidRequest('out of luck')],
      'say hello': [[say('Hello.')]],
    });
    const talks: Talk[] = [];
    try {
      await body({
        model,
        folder,
        converse: async (start, more) => {
          const options = { ...optionsFor(model, project, home), ...more };
          const talk = await startTalk({ start, folder, options });
          talks.push(talk);
          return talk;
        },
        write: (name, text) => writeFile(join(project, name), text),
        file: (name) => readFile(join(project, name), 'utf8'),
      });
    } finally {
      for (const talk of talks) await talk.close();
      await model.close();
    }
  });
}

function optionsFor(model: ScriptedModel, cwd: string, home: string): QueryOptions {
  return {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    },
    enableFileCheckpointing: true,
    permissionMode: 'bypassPermissions',
    model: 'claude-sonnet-4-5',
  };
}

/** A process that the test starts can be killed by it; of one of the SDK's own, the errors are read. */
const STARTED_BY_SDK: Partial<QueryOptions> = { spawnClaudeCodeProcess: undefined };

interface TalkParts {
  readonly start: ConversationStart;
  readonly folder: string;
  readonly options: QueryOptions;
}

async function startTalk({ start, folder, options }: TalkParts): Promise<Talk> {
  const { sessionId } = start;
  const sessionDir = join(folder, 'sessions', sessionId);
  const checkpoints = new CheckpointManager({ sessionDir, sessionId });
  await checkpoints.initialize();
  const processes: ChildProcess[] = [];
  const events = new Heard();
  const spawnClaudeCodeProcess: QueryOptions['spawnClaudeCodeProcess'] = (asked) => {
    const { command, args, cwd, env } = asked;
    const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
    processes.push(child);
    return child;
  };
  const live = new StreamingQueryManager({
    executor: new SDKQueryExecutor(await loadSdk()),
    messageRouter: new MessageRouter(),
    checkpointManager: checkpoints,
    queryOptions: () => ({ spawnClaudeCodeProcess, ...options }),
    events,
  });
  live.start(start);
  return {
    live,
    checkpoints,
    sessionId,
    heard: events.heard,
    ends: events.ends,
    processes,
    ask: async (text, context = []) => {
      const uuid = randomUUID();
      events.heard.length = 0;
      const ended = events.turnEnds(uuid);
      await live.sendPrompt({ uuid, text, context });
      return ended;
    },
    hears: (what) => events.hears(what),
    close: async () => {
      await live.close();
      await checkpoints.flush();
      await Promise.all(processes.map(exited));
    },
  };
}

/** As somebody else would: the SDK knows nothing of it. */
function kill(child: ChildProcess | undefined): void {
  if (child?.pid !== undefined) process.kill(child.pid, 'SIGKILL');
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** What a conversation tells, for a test to read and to wait for. */
class Heard implements ConversationEvents {
  readonly heard: string[] = [];
  readonly ends: TurnEnd[] = [];
  readonly #waiting = new Set<() => void>();
  #open: string | null = null;

  onAnswerPiece(text: string): void {
    this.#piece('answer', text);
  }

  onThinkingPiece(text: string): void {
    this.#piece('thinking', text);
  }

  onAnswerEnd(): void {
    this.#open = null;
  }

  onToolUse({ name }: { name: string }): void {
    this.#add(`call ${name}`);
  }

  onToolResult({ isError }: { isError: boolean }): void {
    this.#add(isError ? 'result error' : 'result ok');
  }

  onToolOutput(): void {}
  onTodos(): void {}

  onTurnEnd(end: TurnEnd): void {
    this.ends.push(end);
    this.#add('end');
  }

  async hears(what: string): Promise<void> {
    await this.#until(() => this.heard.some((one) => one.startsWith(what)));
  }

  async turnEnds(promptId: string): Promise<TurnEnd> {
    const ended = (): TurnEnd | undefined => this.ends.find((end) => end.promptId === promptId);
    await this.#until(() => ended() !== undefined);
    return ended() as TurnEnd;
  }

  #piece(kind: string, text: string): void {
    if (this.#open === kind) this.heard.push(`${this.heard.pop()}${text}`);
    else this.heard.push(`${kind}: ${text}`);
    this.#open = kind;
    this.#tell();
  }

  #add(what: string): void {
    this.heard.push(what);
    this.#tell();
  }

  #tell(): void {
    for (const look of this.#waiting) look();
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** The prompts that the model was sent with its last request, without what the SDK adds. */
function promptsIn({ requests }: ScriptedModel): string[] {
  const users = requests.at(-1)?.messages.filter(({ role }) => role === 'user') ?? [];
  const texts = users.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'text' ? [block.text.trim()] : [])),
  );
  return texts.filter((text) => PROMPTS.has(text));
}

const PROMPTS = new Set(['write it', 'break it', 'talk on', 'fail', 'say hello']);
