import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import { expectSchema } from '../e2e/json-schema.ts';
import { ENTER, ESCAPE, timesIn } from './agent.ts';
import { type AgentProject, inAgentProject, UNASKED } from './agent-project.ts';

const ONE = 'Make the file one.txt';
const TWO = 'Make the file two.txt';
const VARIABLE = 'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING';

/** `folder`: where the agent works. */
const scriptIn =
  (folder: (project: AgentProject) => string) =>
  (project: AgentProject): Script => {
    const write = (name: string) =>
      call('Write', { file_path: join(folder(project), name), content: 'made\n' });
    return {
      [ONE]: [[write('one.txt')], [say('Made the first.')]],
      [TWO]: [[write('two.txt')], [say('Made the second.')]],
    };
  };
const inProject = scriptIn(({ root }) => root);

describe('the way back by Esc Esc', () => {
  it('is closed where checkpoints are turned off', () =>
    inAgentProject({}, inProject, async (project) => {
      project.write('.claude-replica/settings.json', '{ "enableFileCheckpointing": false }');
      // Not even the variable matters then.
      const off = { env: { [VARIABLE]: '' }, ready: 'Files are not on record here' };
      const agent = await project.start(UNASKED, off);
      expect(agent.raw).not.toContain(VARIABLE);
      await agent.until('? for keys');
      expect(agent.screen()).not.toContain('Esc Esc');
      await agent.press(ESCAPE + ESCAPE, 'Checkpoint feature not enabled');
      expect(agent.raw).toContain('\x1b[33mCheckpoint feature not enabled');
      expect(agent.screen()).not.toContain('Rewind: what');
      await agent.command('/checkpoint', (now) => timesIn(now, 'feature not enabled') === 2);
      await agent.command('/help', 'is sent as a prompt.');
      expect(agent.screen()).not.toContain('opens the rewind menu');
      await agent.press('?', 'clears, leaves');
      expect(agent.screen()).not.toContain('the way back');
      await agent.press('?', (now) => !now.includes('clears, leaves'));
      expect(await agent.leave()).toBe(0);
      expect(project.sessions()).toEqual([]);
    }));

  it('is served by the engine alone without the variable, in a conversation that was resumed, and with a damaged list', () =>
    inAgentProject({}, inProject, async (project) => {
      const agent = await project.start(UNASKED, { env: { [VARIABLE]: '' } });
      expect(agent.screen()).toContain(
        'Warning: File checkpointing enabled in config but environment variable not set\n' +
          `Set ${VARIABLE}=1 to enable SDK checkpointing`,
      );
      await agent.press(ESCAPE + ESCAPE, 'No checkpoints available');
      expect(agent.raw).toContain('\x1b[33mNo checkpoints available');
      await agent.command('/checkpoint', 'No checkpoints found.');
      // A command that fails, and the prompt goes on.
      await agent.command('/checkpoint import nowhere.tar', '❌ Command execution failed: ');
      expect(agent.raw).toContain('\x1b[31m❌ Command execution failed: ');

      await agent.ask(ONE, 'Made the first.');
      await agent.command('/checkpoint', '(current)');
      await agent.press(ESCAPE, 'Exited checkpoint selection.');
      await agent.command('/rewind', '(current)');
      await agent.press(ENTER, (now) => timesIn(now, 'Exited checkpoint selection.') === 2);
      expect(project.read('one.txt')).toBe('made\n');
      await agent.openMenu(1);
      await agent.rewind(1, 'files', `Restored to checkpoint: ${ONE}`);
      expect(project.read('one.txt')).toBeNull();
      await agent.command('/undo', 'Undone');
      expect(project.read('one.txt')).toBe('made\n');
      expect(await agent.leave()).toBe(0);

      const [session = ''] = project.sessions();
      const damaged = damage(project.metadataFile(session));
      const asked = project.model.requests.length;
      const resumed = await project.start(['--continue', ...UNASKED]);
      expect(words(resumed.screen())).toMatch(
        /The list of checkpoints was damaged and is now .*; 1 checkpoint in it is kept\./,
      );
      const folder = dirname(project.metadataFile(session));
      const [aside = ''] = readdirSync(folder).filter((name) => name.includes('.damaged-'));
      expect(readFileSync(join(folder, aside), 'utf8')).toBe(damaged);
      // There is no query yet: nothing was asked.
      await resumed.openMenu(1);
      await resumed.rewind(1, 'files', `Restored to checkpoint: ${ONE}`);
      expect(project.read('one.txt')).toBeNull();
      expect(project.model.requests).toHaveLength(asked);
      expect(await resumed.leave()).toBe(0);
      expect(project.loggedErrors()).toEqual([]);
    }));

  it('is left to the SDK in the home directory, and says why it cannot go', () =>
    inAgentProject({}, scriptIn(homeOf), async (project) => {
      const cwd = homeOf(project);
      const one = join(cwd, 'one.txt');
      const agent = await project.start(UNASKED, { cwd });
      expect(agent.screen()).toContain('Savepoint keeps no timeline here: ');
      await agent.ask(ONE, 'Made the first.');
      await agent.openMenu(1);
      await agent.rewind(1, 'files', `Restored to checkpoint: ${ONE}`);
      expect(existsSync(one)).toBe(false);
      expect(await agent.leave()).toBe(0);

      writeFileSync(one, 'somebody else\n');
      const [session = ''] = project.sessions();
      const { checkpoints } = project.metadata(session);
      const unknown = checkpoints.map((entry) => ({ ...entry, id: randomUUID() }));
      writeFileSync(project.metadataFile(session), JSON.stringify({ checkpoints: unknown }));
      const resumed = await project.start(['--continue', ...UNASKED], { cwd });
      await resumed.openMenu(1);
      await resumed.rewind(1, 'files', `Restore failed: ${NO_QUERY}`);
      expect(resumed.raw).toContain(`\x1b[31mRestore failed: ${NO_QUERY}`);
      await resumed.ask(TWO, 'Made the second.');
      await resumed.openMenu(2);
      await resumed.rewind(2, 'files', 'Restore failed: Checkpoint data not found in SDK. ');
      expect(resumed.raw).toContain('\x1b[31mRestore failed: Checkpoint data not found in SDK. ');
      expect(words(resumed.screen())).toContain(`Restore failed: ${NOT_IN_SDK}`);
      expect(readFileSync(one, 'utf8')).toBe('somebody else\n');
      expect(await resumed.leave()).toBe(0);
      expect(project.loggedErrors()).toMatchObject([
        { message: 'Checkpoint restore failed', error: { message: NO_QUERY } },
        { message: 'Checkpoint restore failed', error: { message: NOT_IN_SDK } },
      ]);
    }));
});

const NO_QUERY = 'No active query session. Cannot restore checkpoint.';
const NOT_IN_SDK =
  'Checkpoint data not found in SDK. This may happen if the session was not properly completed or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING was not set.';

function homeOf({ scratch }: AgentProject): string {
  return join(scratch, 'user');
}

/** One entry that is no entry comes to the one that is; gives what the file holds now. */
function damage(file: string): string {
  const { checkpoints } = JSON.parse(readFileSync(file, 'utf8'));
  const text = JSON.stringify({ checkpoints: [{ id: 3 }, ...checkpoints] });
  writeFileSync(file, text);
  return text;
}

/** As one line: the terminal wraps. */
function words(screen: string): string {
  return screen.replaceAll(/\s+/g, ' ');
}

describe('the agent without a terminal', () => {
  it('answers one prompt as text or JSON, and says by its exit code how that went', () =>
    inAgentProject({}, inProject, async (project) => {
      const [text, failed] = await Promise.all([
        project.chat(['--print', ...UNASKED, ONE]),
        project.chat(['--print', 'nothing that the script knows']),
      ]);
      expect(text).toEqual({ code: 0, out: 'Made the first.\n', err: '' });
      expect(failed).toMatchObject({ code: 1, out: '' });
      expect(failed.err).toContain('The script has nothing for: nothing that the script knows');
      const { code, out } = await project.chat([
        '--print',
        '--json',
        '--continue',
        ...UNASKED,
        TWO,
      ]);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        version: 1,
        result: 'Made the second.',
        isError: false,
        files: ['two.txt'],
      });
      const [config, sessions] = await Promise.all([
        project.chat(['config', '--json']),
        project.chat(['sessions', '--json']),
      ]);
      for (const { out: text } of [{ out }, config, sessions]) expectSchema('chat', text);
      expect(JSON.parse(sessions.out).sessions).toMatchObject([{ prompts: 2 }, { prompts: 1 }]);
    }));

  it('is one line of time, turn after turn: a rewind to one takes back those that came after it', () =>
    inAgentProject({}, inProject, async (project) => {
      for (const prompt of [ONE, TWO]) {
        expect((await project.chat(['--print', ...UNASKED, prompt])).code).toBe(0);
      }
      const rewound = await project.run(['rewind', '~1', '--json']);
      expect(JSON.parse(rewound.out)).toMatchObject({ deletedFiles: ['one.txt', 'two.txt'] });
      expect((await project.run(['undo', '--json'])).code).toBe(0);
      expect([project.read('one.txt'), project.read('two.txt')]).toEqual(['made\n', 'made\n']);
      const undone = await project.run(['undo', '--json']);
      expect(JSON.parse(undone.out)).toMatchObject({ deletedFiles: ['two.txt'] });
    }));

  it('says what it needs: a terminal, credentials, the SDK', () =>
    inAgentProject({}, inProject, async (project) => {
      const hidden = join(project.scratch, 'hide-sdk.mjs');
      writeFileSync(hidden, HIDE_SDK);
      const none = { ANTHROPIC_API_KEY: '' };
      const [terminal, credentials, sdk] = await Promise.all([
        project.chat([]),
        project.chat(['--print', 'hello'], { env: none }),
        project.chat(['--print', 'hello'], { env: { NODE_OPTIONS: `--import=${hidden}` } }),
      ]);
      expect(terminal).toEqual({
        code: 2,
        out: '',
        err: 'savepoint: a conversation needs a terminal\nhint: for one turn without a terminal: savepoint chat --print PROMPT\n',
      });
      expect(credentials.code).toBe(2);
      expect(credentials.err).toContain('no credentials were found');
      expect(credentials.err).toContain('hint: try it without an account: --offline');
      expect(sdk.code).toBe(2);
      expect(words(sdk.err)).toContain('needs the Claude Agent SDK, which is not installed.');
      expect(sdk.err).toContain('hint: npm install @anthropic-ai/claude-agent-sdk');
      expect(project.model.requests).toEqual([]);
      expect(project.sessions()).toEqual([]);
    }));
});

/** The package is not found, as where nobody installed it. */
const HIDE_SDK = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve: (name, context, next) => {
    if (!name.startsWith('@anthropic-ai/')) return next(name, context);
    throw Object.assign(new Error("Cannot find module '" + name + "'"), { code: 'MODULE_NOT_FOUND' });
  },
});
`;
