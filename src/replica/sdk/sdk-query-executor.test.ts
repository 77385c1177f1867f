import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import type { ConversationStart } from './conversation.ts';
import { type QueryOptions, SDKQueryExecutor } from './sdk-query-executor.ts';

const executor = new SDKQueryExecutor({
  query: () => {
    throw new Error('nothing runs here');
  },
});
const map = (options: Partial<QueryOptions>): Options =>
  executor.mapToSDKOptions({ cwd: '/project', env: { PATH: '/bin' }, ...options });

describe('Scenario: enable file checkpointing and configure extraArgs: WHEN mapToSDKOptions() maps', () => {
  it('GIVEN it is true, THEN turns it on AND has prompts replayed AND keeps the other arguments', () => {
    const extraArgs = { verbose: null, 'max-thing': '3' };
    const options = map({ enableFileCheckpointing: true, extraArgs });
    expect(options.enableFileCheckpointing).toBe(true);
    expect(options.extraArgs).toEqual({
      verbose: null,
      'max-thing': '3',
      'replay-user-messages': null,
    });
    expect(extraArgs).toEqual({ verbose: null, 'max-thing': '3' });
  });

  it.each([false, undefined])('GIVEN it is %s, THEN adds nothing', (enableFileCheckpointing) => {
    const given = enableFileCheckpointing === undefined ? {} : { enableFileCheckpointing };
    const options = map({ ...given, extraArgs: { verbose: null } });
    expect(options.enableFileCheckpointing).toBeUndefined();
    expect(options.extraArgs).toEqual({ verbose: null });
  });
});

describe('mapToSDKOptions', () => {
  it('hands on what was given, and leaves out what was not', () => {
    const canUseTool: NonNullable<Options['canUseTool']> = async () => ({ behavior: 'allow' });
    const stderr = (): void => undefined;
    const hooks = { PreToolUse: [] };
    const mcpServers = { docs: { type: 'http' as const, url: 'http://127.0.0.1/' } };
    const options = map({
      model: 'some-model',
      canUseTool,
      stderr,
      hooks,
      mcpServers,
      allowedTools: ['Read'],
      disallowedTools: ['WebFetch'],
    });
    expect(options).toMatchObject({
      cwd: '/project',
      env: { PATH: '/bin' },
      model: 'some-model',
      canUseTool,
      stderr,
      hooks,
      mcpServers,
      allowedTools: ['Read'],
      disallowedTools: ['WebFetch'],
      permissionMode: 'default',
    });
    const without = map({ model: null });
    for (const name of ['model', 'canUseTool', 'hooks', 'stderr', 'sessionId', 'resume']) {
      expect(without).not.toHaveProperty(name);
    }
  });

  it('reads no settings files, and streams', () => {
    expect(map({})).toMatchObject({ settingSources: [], includePartialMessages: true });
  });

  it('tells the model what a coding agent is told, and what the project says', () => {
    const preset = { type: 'preset', preset: 'claude_code' };
    expect(map({}).systemPrompt).toEqual(preset);
    expect(map({ instructions: 'Run the tests.' }).systemPrompt).toEqual({
      ...preset,
      append: '# Instructions of this project (CLAUDE.md)\n\nRun the tests.',
    });
  });

  it('says the dangerous word only where every check is to be left out', () => {
    expect(map({ permissionMode: 'bypassPermissions' })).toMatchObject({
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    const asking = map({ permissionMode: 'acceptEdits' });
    expect(asking.permissionMode).toBe('acceptEdits');
    expect(asking).not.toHaveProperty('allowDangerouslySkipPermissions');
  });

  it.each<[string, ConversationStart, Options]>([
    ['a new conversation', { sessionId: 'new', from: null }, { sessionId: 'new' }],
    [
      'one that goes on',
      { sessionId: 'old', from: { sessionId: 'old', lastMessageId: null, fork: false } },
      { resume: 'old' },
    ],
    [
      'one that is forked',
      { sessionId: 'new', from: { sessionId: 'old', lastMessageId: 'm', fork: true } },
      { resume: 'old', resumeSessionAt: 'm', forkSession: true, sessionId: 'new' },
    ],
  ])('begins %s', (_, start, expected) => {
    const { sessionId, resume, resumeSessionAt, forkSession } = map({ start });
    const begun = { sessionId, resume, resumeSessionAt, forkSession };
    expect(JSON.parse(JSON.stringify(begun))).toEqual(expected);
  });
});
