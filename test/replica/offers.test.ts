import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  useTool as call,
  type ReplyTo,
  type Script,
  say,
  scripted,
} from '../../src/testing/index.ts';
import { CTRL_C, DOWN, ENTER, ESCAPE, isIdle } from './agent.ts';
import { type AgentProject, inAgentProject, UNASKED } from './agent-project.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LOOK = 'look at @src/alpha.ts please';

/** An image, and what the SDK asks for a summary with, come in texts of the SDK's own. */
function script(project: AgentProject): ReplyTo {
  const said = scripted(texts(project));
  return (request) => {
    const last = JSON.stringify(request.messages.at(-1));
    if (last.includes('[Image: source: ')) return [say('I see.')];
    return last.includes('detailed summary') ? [say('<summary>all</summary>')] : said(request);
  };
}

function texts(project: AgentProject): Script {
  const file_path = project.path('made.txt');
  return {
    [LOOK]: [[say('I looked.')]],
    'make it': [[call('Write', { file_path, content: 'made\n' })], [say('I made it.')]],
    '!touch pasted.txt': [[say('That is a text.')]],
    'Review a.txt, x.': [[say('I reviewed.')]],
    'after the models': [[say('Another one.')]],
  };
}

const FILES = {
  'src/alpha.ts': 'ALPHA-CONTENT\n',
  'src/beta.ts': 'beta\n',
  'secret.txt': 'SECRET-CONTENT\n',
  'ignored.log': 'ignored\n',
  '.gitignore': '*.log\n',
  '.claude/commands/review.md':
    '---\ndescription: reviews a file\nallowed-tools: Bash(*)\n---\n!`touch ran.txt`\nReview a.txt, $ARGUMENTS.\n',
};

it('offers files, runs what is typed after !, notes what is typed after #, and knows its commands', () =>
  inAgentProject(FILES, script, async (project) => {
    writeFileSync(project.path('pixel.png'), Buffer.from(PNG, 'base64'));
    symlinkSync('/etc/hostname', project.path('leads-out.png'));
    const agent = await project.start([...UNASKED]);

    // `@`: by letters, folders go on, by the ignore rules.
    agent.type('look at @');
    const all = await agent.until('@src/');
    expect(all).toContain('@secret.txt');
    expect(all).not.toContain('ignored.log');
    await agent.press('src', '❯ @src/');
    await agent.press('\t', '@src/alpha.ts');
    await agent.press('aph', (screen) => /❯ @src\/alpha\.ts/.test(screen));
    await agent.press('\t', '> look at @src/alpha.ts');
    await agent.press(`please${ENTER}`, (screen) => screen.includes('I looked.') && isIdle(screen));
    expect(asked(project)).toContain('ALPHA-CONTENT');

    // `!`: marked, shown, told, never the agent's, and never from a paste.
    await agent.press('!', 'your own command: its output goes to the model');
    expect(agent.raw).toContain('\x1b[35m!');
    await agent.press('echo mine > mine.txt; echo @secret.txt; exit 3', 'exit 3');
    await agent.press(ENTER, 'exit code 3, ');
    expect(agent.screen()).toContain('> ! echo mine');
    expect(project.read('mine.txt')).toBe('mine\n');
    await agent.press('!', 'your own command');
    await agent.press(`sleep 60${ENTER}`, 'running sleep 60');
    await agent.press(CTRL_C, 'ended by a signal');
    agent.type('\x1b[200~!touch pasted.txt\x1b[201~');
    await agent.until('> !touch pasted.txt');
    await agent.press(ENTER, (screen) => screen.includes('That is a text.') && isIdle(screen));
    expect(existsSync(project.path('pasted.txt'))).toBe(false);
    expect(asked(project)).toContain("themselves, in the project's folder:\\n$ echo mine");
    // What a command prints names no file to the agent.
    expect(asked(project)).toContain('@secret.txt');
    expect(asked(project)).not.toContain('SECRET-CONTENT');
    await agent.press('!', 'your own command');
    agent.type('\x1b[200~touch pasted.txt\x1b[201~');
    await agent.until('! touch pasted.txt');
    await agent.press(ENTER, 'Run this command? Some of it was pasted.');
    await agent.press('n', 'It was not run.');
    expect(existsSync(project.path('pasted.txt'))).toBe(false);

    // `#`: a line for CLAUDE.md.
    await agent.press('#', 'Enter adds this line to CLAUDE.md');
    await agent.press(`use pnpm${ENTER}`, 'Added to CLAUDE.md: use pnpm');
    expect(project.read('CLAUDE.md')).toBe('- use pnpm\n');

    // Images by their path, with a mark.
    await agent.press('see pixel.png', '[image pixel.png, ');
    await agent.press(' and go on', 'and go on');
    await agent.press(ENTER, (screen) => screen.includes('I see.') && isIdle(screen));
    expect(asked(project)).toContain('[Image: source: ');
    expect(asked(project)).toContain('added this line to CLAUDE.md:');

    // A rewind of what the agent did leaves what the person did.
    await agent.ask('make it', 'I made it.');
    await agent.press('!', 'your own command');
    await agent.press(`echo more >> mine.txt${ENTER}`, (screen) => /exit code 0, /.test(screen));
    await agent.openMenu(4);
    await agent.rewind(4, 'files', 'Restored to checkpoint');
    expect(existsSync(project.path('made.txt'))).toBe(false);
    expect(project.read('mine.txt')).toBe('mine\nmore\n');
    expect(project.read('CLAUDE.md')).toBe('- use pnpm\n');

    expect(await agent.leave()).toBe(0);
  }));

it('shows a menu that filters, and has commands for model, cost, permissions, servers and export', () =>
  inAgentProject(FILES, script, async (project) => {
    const agent = await project.start([]);
    const menu = await agent.press('/', (screen) => /… \d+ more/.test(screen));
    expect(menu).toContain('/checkpoint');
    await agent.press('mdl', (screen) => screen.includes('/model') && !/… \d+ more/.test(screen));
    await agent.press(`${ESCAPE}`, (screen) => !screen.includes('which model answers'));
    await agent.press('\x15', (screen) => !screen.includes('/mdl'));
    await agent.command('/cost', 'Nothing was asked yet.');
    await agent.command('/permissions', 'You have allowed nothing for the whole conversation');
    await agent.command('/mcp', 'No MCP server is set');

    // Custom commands, after a question.
    await agent.press('/rev', 'reviews a file (project)');
    await agent.press(`\t x${ENTER}`, 'This project has commands of its own. Trust them?');
    await agent.press('y', (screen) => screen.includes('I reviewed.') && isIdle(screen));
    expect(agent.screen()).toContain('1 line of it that would run programs: left out.');
    expect(existsSync(project.path('ran.txt'))).toBe(false);
    expect(project.lastAsked().at(-1)).toBe('Review a.txt, x.');

    // "Always" is listed, and taken back.
    await agent.press(`make it${ENTER}`, 'not ask again');
    await agent.press('2', (screen) => screen.includes('I made it.') && isIdle(screen));
    await agent.command('/permissions', 'Write on any file of this project');
    await agent.press('1', 'Taken back: Write on any file');

    await agent.command('/cost', 'an estimate, not a bill');
    await agent.command('/model', 'Default (recommended)');
    await agent.press(`${DOWN}${ENTER}`, 'opus answers from your next prompt on.');
    await agent.ask('after the models', 'Another one.');
    expect(project.model.requests.at(-1)?.model).toContain('opus');

    await agent.command('/export talk.md', 'The conversation is in talk.md.');
    const talk = project.read('talk.md');
    expect(talk).toContain('> make it');
    expect(talk).toContain('- `Write made.txt`');
    expect(talk).toContain('I made it.');
    writeFileSync(project.path('talk.md'), 'precious');
    await agent.command('/export talk.md', 'talk.md is there already. Replace it?');
    await agent.press('n', 'talk.md stays as it is.');
    expect(project.read('talk.md')).toBe('precious');

    await agent.command('/compact', 'The conversation was summed up');
    expect(await agent.leave()).toBe(0);
    const answers = join(project.replicaHome, 'trusted-commands.json');
    expect(Object.keys(JSON.parse(readFileSync(answers, 'utf8')))).toHaveLength(1);
  }));

/** All that the model was sent last. */
function asked(project: AgentProject): string {
  const last = project.model.requests.filter(({ tools }) => tools.length > 0).at(-1);
  return JSON.stringify(last?.messages);
}
