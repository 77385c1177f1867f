import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../terminal/usage-error.ts';
import { Application } from './application.ts';
import type { ReplicaIo, ReplicaRequest } from './request.ts';
import { setStage } from './stage.ts';

let scratch: string;
let project: string;
let home: string;
let out: string;
let err: string;
beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'replica-application-')));
  [project, home] = [join(scratch, 'project'), join(scratch, 'home')];
  for (const folder of [project, home]) mkdirSync(folder);
  [out, err] = ['', ''];
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const VARIABLE = 'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING';
const WARNING = [
  'Warning: File checkpointing enabled in config but environment variable not set',
  'Set CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1 to enable SDK checkpointing',
];

function application(
  env: Readonly<Record<string, string>>,
  asked: Partial<ReplicaRequest> = {},
): Application {
  const request: ReplicaRequest = {
    verb: 'chat',
    prompt: null,
    json: false,
    resume: null,
    model: null,
    permissionMode: null,
    project,
    offline: true,
    demo: false,
    noColor: true,
    ...asked,
  };
  const io: ReplicaIo = {
    env: { PATH: process.env.PATH, HOME: home, IS_SANDBOX: '1', ...env },
    homeDirectory: home,
    platform: process.platform,
    interactive: false,
    terminal: false,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ask: async () => null,
    stdin: process.stdin,
    stdout: process.stdout,
    interrupts: { onInterrupt: () => () => undefined, during: (work) => work() },
  };
  return new Application(request, io, setStage(request, io));
}

describe('Scenario: a warning where the environment does not fit the configuration', () => {
  describe('GIVEN enableFileCheckpointing is true, WHEN the variable is', () => {
    it.each([
      [
        'not set',
        {},
        'It is set for the agent here. A rewind works in any case, by Savepoint’s own timeline.',
      ],
      [
        'set to something else',
        { [VARIABLE]: '0' },
        'A rewind works without it, by Savepoint’s own timeline.',
      ],
    ])('%s, THEN both lines of the warning are shown', async (_how, env, meaning) => {
      await application(env).checkCheckpointEnvironment();
      expect(err).toBe([...WARNING, meaning, ''].join('\n'));
    });

    it('set, THEN nothing is said', async () => {
      await application({ [VARIABLE]: '1' }).checkCheckpointEnvironment();
      expect(err).toBe('');
    });
  });

  it('GIVEN enableFileCheckpointing is false, THEN nothing is said', async () => {
    mkdirSync(join(home, '.claude-replica'));
    const settings = JSON.stringify({ enableFileCheckpointing: false });
    writeFileSync(join(home, '.claude-replica', 'settings.json'), settings);
    await application({}).checkCheckpointEnvironment();
    expect(err).toBe('');
  });
});

describe('Scenario: Application begins with a CheckpointManager', () => {
  it('GIVEN the variable is 1, WHEN it runs, THEN the environment is checked and the session’s prompts are captured', async () => {
    const print = { verb: 'print', prompt: 'Hello?', json: true } as const;
    expect(await application({ [VARIABLE]: '1' }, print).run()).toBe(0);
    expect(err).toBe('');
    const { sessionId, checkpointId } = JSON.parse(out);
    expect(metadataOf(sessionId)).toMatchObject([
      { id: checkpointId, description: 'Hello?', sessionId },
    ]);
  });
});

function metadataOf(sessionId: string): unknown {
  const folder = join(home, '.claude-replica', 'sessions', sessionId, 'checkpoints');
  return JSON.parse(readFileSync(join(folder, 'metadata.json'), 'utf8')).checkpoints;
}

describe('what cannot be meant', () => {
  it('is a mistake in the request, not a failure: a conversation that is not there', async () => {
    const mistake = new UsageError('No conversation "nope"; see claude-replica sessions');
    const asked = application({ [VARIABLE]: '1' }, { verb: 'print', prompt: 'x', resume: 'nope' });
    await expect(asked.run()).rejects.toThrow(mistake);
  });

  it('names the conversations that are there and cannot be read', async () => {
    const folder = join(
      home,
      '.claude-replica',
      'sessions',
      '00000000-0000-4000-8000-000000000001',
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'session.json'), '{');
    const asked = application(
      { [VARIABLE]: '1' },
      { verb: 'print', prompt: 'x', resume: 'latest' },
    );
    await expect(asked.run()).rejects.toThrow('there is no conversation to take up here');
    expect(err).toBe(`${join(folder, 'session.json')}: it is not JSON\n`);
  });

  it.each([
    ['there is no such folder', 'missing'],
    ['that is not a folder', 'a-file'],
  ])('so is a project of which %s', (why, name) => {
    writeFileSync(join(scratch, 'a-file'), '');
    const named = join(scratch, name);
    expect(() => application({}, { project: named })).toThrow(new UsageError(`${why}: ${named}`));
  });
});
