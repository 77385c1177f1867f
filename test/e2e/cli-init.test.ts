import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AGENT_NAMES } from '../../src/agents/agent-adapter.ts';
import { SETTINGS_SAMPLES } from '../setup/agent-settings.ts';
import { CliProject, PATH } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { treeOf } from './tree-of.ts';

let project: CliProject;
let user: string;
let settings: string;

beforeEach(() => {
  project = new CliProject({ 'a.txt': 'one\n' });
  user = join(project.scratch, 'user');
  settings = join(user, '.claude/settings.json');
});
afterEach(() => project.remove());

const CLAUDE = ['--agent', 'claude-code', '--yes'];

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A program that says its version, in a folder that is on PATH. */
function installProgram(name: string, text = 'echo 1.2.3'): Record<string, string> {
  const file = join(project.scratch, 'bin', name);
  write(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return { PATH: `${join(project.scratch, 'bin')}:${PATH}` };
}

describe('init then uninstall', () => {
  it('leaves forty kinds of settings byte for byte as they were', async () => {
    for (const { name, text } of SETTINGS_SAMPLES) {
      write(settings, text);
      expect((await project.run(['init', ...CLAUDE])).code, name).toBe(0);
      expect(readFileSync(settings, 'utf8'), name).toContain('hook claude-code');
      expect((await project.run(['uninstall', ...CLAUDE])).code, name).toBe(0);
      expect(readFileSync(settings, 'utf8'), name).toBe(text);
    }
    expect(SETTINGS_SAMPLES.length).toBeGreaterThanOrEqual(40);
  });

  it.each(AGENT_NAMES)('leaves nothing of %s where there was nothing', async (agent) => {
    const before = treeOf(user);
    expect((await project.run(['init', '--agent', agent, '--yes'])).code).toBe(0);
    expect(treeOf(user)).not.toEqual(before);
    const { out } = await project.run(['init', '--agent', agent, '--yes']);
    expect(out).toContain('Nothing to do');
    expect((await project.run(['uninstall', '--agent', agent, '--yes'])).code).toBe(0);
    expect(treeOf(user)).toEqual(before);
    expect(Object.keys(treeOf(join(project.home, 'agents')))).toEqual(['installed.json']);
  });

  it('keeps what was edited in between', async () => {
    write(settings, '{\n  "model": "opus"\n}\n');
    await project.run(['init', ...CLAUDE]);
    const edited = readFileSync(settings, 'utf8').replace('opus', 'sonnet');
    writeFileSync(settings, `// mine\n${edited}`);
    await project.run(['uninstall', ...CLAUDE]);
    expect(readFileSync(settings, 'utf8')).toBe('// mine\n{\n  "model": "sonnet"\n}\n');
  });

  it('keeps what was edited between two runs of init', async () => {
    write(settings, '{\n  "model": "opus"\n}\n');
    await project.run(['init', ...CLAUDE]);
    const edited = readFileSync(settings, 'utf8').replace('opus', 'sonnet');
    // Somebody has taken out one hook as well, so the second run has something to add.
    writeFileSync(settings, edited.replace('hook claude-code', 'off claude-code'));
    expect((await project.run(['init', ...CLAUDE])).code).toBe(0);
    await project.run(['uninstall', ...CLAUDE]);
    expect(readFileSync(settings, 'utf8')).toContain('"model": "sonnet"');
    expect(readFileSync(settings, 'utf8')).not.toContain('hook claude-code');
  });

  it('takes hooks out also where the record of init is lost', async () => {
    write(settings, '{\n  "model": "opus"\n}\n');
    await project.run(['init', ...CLAUDE]);
    rmSync(join(project.home, 'agents'), { recursive: true });
    await project.run(['uninstall', ...CLAUDE]);
    expect(readFileSync(settings, 'utf8')).toBe('{\n  "model": "opus"\n}\n');
  });

  it.each(['my-backup.sh && %', 'timeout 20 %', 'VAR=x %'])(
    'leaves a hook of somebody that runs ours: %s',
    async (wrapper) => {
      const command = wrapper.replace('%', 'savepoint hook claude-code');
      const theirs = { hooks: [{ type: 'command', command }] };
      const text = `${JSON.stringify({ hooks: { Stop: [theirs] } }, null, 2)}\n`;
      write(settings, text);
      expect((await project.run(['init', ...CLAUDE])).code).toBe(0);
      expect(JSON.parse(readFileSync(settings, 'utf8')).hooks.Stop).toEqual([theirs]);
      const { out: health } = await project.run(['doctor', '--json']);
      expect(JSON.parse(health).findings).toEqual([]);
      const { out, err } = await project.run(['uninstall', ...CLAUDE]);
      expect(readFileSync(settings, 'utf8')).toBe(text);
      expect(out).toContain('the hooks are out');
      expect(err.replaceAll(/\s+/g, ' ')).toContain(`part of another command (${command})`);
    },
  );

  it('names the files of other projects in which hooks are left', async () => {
    const local = project.path('.claude/settings.local.json');
    await project.run(['init', ...CLAUDE, '--scope', 'local']);
    await project.run(['init', '--agent', 'gemini', '--yes'], { cwd: user });
    const elsewhere = await project.run(['uninstall', '--yes'], { cwd: user });
    expect(elsewhere.code).toBe(0);
    expect(elsewhere.out).toContain(`Hooks stay in other projects: ${local}. Run savepoint`);
    expect(existsSync(local)).toBe(true);
    const here = await project.run(['uninstall', '--yes']);
    expect(here.out).not.toContain('other projects');
    expect(existsSync(local)).toBe(false);
  });

  it('keeps the copy of settings that did not go back to it', async () => {
    write(settings, '{\n  "model": "opus"\n}\n');
    await project.run(['init', ...CLAUDE]);
    const edited = readFileSync(settings, 'utf8').replace('opus', 'sonnet');
    writeFileSync(settings, edited);
    const { out } = await project.run(['uninstall', ...CLAUDE]);
    const [copy = '', ...others] = readdirSync(join(project.home, 'agents/backups'));
    expect(others).toEqual([]);
    const file = join(project.home, 'agents/backups', copy);
    expect(readFileSync(file, 'utf8')).toBe('{\n  "model": "opus"\n}\n');
    expect(out.replaceAll(/\s+/g, '')).toContain(file.replaceAll(/\s+/g, ''));
    // One that did is not needed any more.
    await project.run(['init', ...CLAUDE]);
    await project.run(['uninstall', ...CLAUDE]);
    expect(readdirSync(join(project.home, 'agents/backups'))).toEqual([copy]);
  });

  it('writes through a link and keeps the mode', async () => {
    const elsewhere = join(project.scratch, 'dotfiles/claude.json');
    write(elsewhere, '{}\n');
    chmodSync(elsewhere, 0o640);
    mkdirSync(dirname(settings), { recursive: true });
    symlinkSync(elsewhere, settings);
    await project.run(['init', ...CLAUDE]);
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, 'utf8')).toContain('hook claude-code');
    expect(statSync(elsewhere).mode & 0o777).toBe(0o640);
    await project.run(['uninstall', ...CLAUDE]);
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, 'utf8')).toBe('{}\n');
    expect(statSync(elsewhere).mode & 0o777).toBe(0o640);
  });
});

describe('init', () => {
  it('finds the agents by their folders and programs, and touches no file of the project', async () => {
    mkdirSync(join(user, '.codex'));
    const env = installProgram('gemini', 'echo ran > "$0.ran"');
    // A program of the project is not looked at.
    write(project.path('bin/qwen'), '#!/bin/sh\n');
    chmodSync(project.path('bin/qwen'), 0o755);
    env.PATH = `${project.path('bin')}:${env.PATH}`;
    const before = treeOf(project.root);
    const { code, out } = await project.run(['init', '--yes'], { env });
    expect(code).toBe(0);
    expect(out).toContain('Set up: Codex, Gemini CLI.');
    expect(out).toContain('Codex runs hooks only after you have trusted them');
    expect(treeOf(project.root)).toEqual(before);
    expect(existsSync(join(user, '.qwen'))).toBe(false);
    expect(existsSync(join(project.scratch, 'bin/gemini.ran'))).toBe(false);
  });

  it('makes the first scan, once', async () => {
    const first = await project.run(['init', '--json', ...CLAUDE]);
    expectSchema('init', first.out);
    expect(JSON.parse(first.out)).toMatchObject({ outcome: 'done', baseline: 'made' });
    const second = await project.run(['init', '--json', ...CLAUDE]);
    expect(JSON.parse(second.out)).toMatchObject({ baseline: 'there', files: [], left: [] });
    expect(second.code).toBe(5);
    expect(await project.open((savepoint) => savepoint.isScanned())).toBe(true);
    const atHome = await project.run(['init', '--json', '--agent', 'gemini', '--yes'], {
      cwd: user,
    });
    expect(JSON.parse(atHome.out)).toMatchObject({ outcome: 'done', baseline: 'refused' });
  });

  it('says why the project could not be scanned, and ends with 1', async () => {
    project.write('b.txt', 'two\n');
    const args = ['init', '--agent', 'claude-code', '--yes'];
    const env = { SAVEPOINT_MAX_SCAN_ENTRIES: '1' };
    const { code, out, err } = await project.run(args, { env });
    expect(code).toBe(1);
    expect(out).not.toContain('Scanned');
    expect(err).toContain('the project was not scanned: there are too many files');
    const json = await project.run([...args, '--json'], { env });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ outcome: 'done', baseline: 'failed' });
    // The hooks are there already, and what was missing is made now.
    const later = await project.run(args);
    expect(later.code).toBe(0);
    expect(later.out).not.toContain('Nothing to do');
    expect((await project.run(args)).code).toBe(5);
  });

  it('shows what it would write, asks, and takes no for an answer', async () => {
    write(settings, '{\n  "model": "opus"\n}\n');
    const args = ['init', '--agent', 'claude-code'];
    const { code, rows } = await project.see(args, { answers: ['n'] });
    expect(code).toBe(130);
    expect(rows.join('\n')).toContain('+  "hooks": {');
    expect(rows.at(-1)).toBe('Nothing was written.');
    expect(readFileSync(settings, 'utf8')).toBe('{\n  "model": "opus"\n}\n');
    expect((await project.see(args, { answers: ['y'] })).code).toBe(0);
    expect(readFileSync(settings, 'utf8')).toContain('hook claude-code');
  });

  it('writes nothing where nobody can be asked, and nothing in a dry run', async () => {
    const { code, out } = await project.run(['init', '--agent', 'claude-code']);
    expect(code).toBe(5);
    expect(out).toContain('add --yes');
    expect((await project.run(['init', '--dry-run', ...CLAUDE])).code).toBe(0);
    expect(existsSync(join(user, '.claude'))).toBe(false);
  });

  it('leaves a file that it cannot read, and sets up the others', async () => {
    write(settings, '{ "model": ');
    const { code, err } = await project.run(['init', '--agent', 'claude-code,gemini', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain(`${settings} is not JSON (line 1); it was left as it is`);
    expect(readFileSync(settings, 'utf8')).toBe('{ "model": ');
    expect(readFileSync(join(user, '.gemini/settings.json'), 'utf8')).toContain('hook gemini');
  });

  it('leaves a file that is changed while it asks', async () => {
    write(settings, '{}\n');
    const edits = () => {
      writeFileSync(settings, '{ "model": "opus" }\n');
      return 'y';
    };
    const { code, rows } = await project.see(['init', '--agent', 'claude-code'], {
      answers: [edits],
    });
    expect(code).toBe(1);
    const text = rows.map((row) => row.trim()).join(' ');
    expect(text).toContain('was changed by somebody else just now');
    expect(text).not.toContain('Set up');
    expect(readFileSync(settings, 'utf8')).toBe('{ "model": "opus" }\n');
    expect(readdirSync(join(project.home, 'agents/backups'))).toEqual([]);
  });

  it('sets up the others where one file cannot be reached', async () => {
    // A file where a folder would have to be.
    write(join(user, '.gemini'), '');
    const { code, err } = await project.run(['init', '--agent', 'gemini,qwen', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain('.gemini/settings.json cannot be used (ENOTDIR)');
    expect(readFileSync(join(user, '.qwen/settings.json'), 'utf8')).toContain('hook qwen');
  });

  it('registers no program that is part of the project, or that only npm finds', async () => {
    const checkout = fileURLToPath(new URL('../../', import.meta.url));
    const { code, err } = await project.run(['init', '--project', checkout, ...CLAUDE]);
    expect(code).toBe(2);
    expect(err).toContain('npm link');
    expect(existsSync(settings)).toBe(false);
    const file = join(project.scratch, 'npx/node_modules/.bin/savepoint');
    write(file, '#!/bin/sh\n');
    chmodSync(file, 0o755);
    await project.run(['init', ...CLAUDE], { env: { PATH: `${dirname(file)}:${PATH}` } });
    expect(readFileSync(settings, 'utf8')).toContain('/bin/savepoint.cjs hook claude-code');
  });

  it('leaves a file of somebody else that has the name of one of its own', async () => {
    const file = join(user, '.cline/hooks/PreToolUse');
    write(file, '#!/bin/sh\n# mine\n');
    const { code, err } = await project.run(['init', '--agent', 'cline', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain(`${file} is not as Savepoint wrote it`);
    await project.run(['uninstall', '--agent', 'cline', '--yes']);
    expect(treeOf(dirname(file))).toEqual({ PreToolUse: expect.anything() });
    expect(readFileSync(file, 'utf8')).toBe('#!/bin/sh\n# mine\n');
  });

  it('registers no hook twice in two scopes', async () => {
    await project.run(['init', ...CLAUDE]);
    const { code, err } = await project.run(['init', ...CLAUDE, '--scope', 'project']);
    expect(code).toBe(1);
    expect(err).toContain('every event would come twice');
    expect(existsSync(project.path('.claude'))).toBe(false);
  });

  it('writes to the project or to local settings where it is told to', async () => {
    await project.run(['init', ...CLAUDE, '--scope', 'project']);
    const text = readFileSync(project.path('.claude/settings.json'), 'utf8');
    expect(JSON.parse(text).hooks.Stop[0].hooks[0].command).toBe('savepoint hook claude-code');
    await project.run(['uninstall', ...CLAUDE]);
    expect(existsSync(project.path('.claude'))).toBe(false);
    await project.run(['init', ...CLAUDE, '--scope', 'local']);
    expect(existsSync(project.path('.claude/settings.local.json'))).toBe(true);
    const { code, err } = await project.run(['init', '--agent', 'codex', '--scope', 'local']);
    expect(code).toBe(2);
    expect(err).toContain('Codex has no settings of the scope local');
    const home = await project.run(['init', ...CLAUDE, '--scope', 'project'], { cwd: user });
    expect(home.code).toBe(2);
  });

  it('runs savepoint by its name where that is on PATH outside of the project, else by its path', async () => {
    const commandIn = (text: string): string => JSON.parse(text).hooks.Stop[0].hooks[0].command;
    await project.run(['init', ...CLAUDE]);
    expect(commandIn(readFileSync(settings, 'utf8'))).toMatch(
      /^'?\/.*\/bin\/savepoint\.cjs'? hook claude-code$/,
    );
    await project.run(['uninstall', ...CLAUDE]);
    const env = installProgram('savepoint');
    await project.run(['init', ...CLAUDE], { env });
    expect(commandIn(readFileSync(settings, 'utf8'))).toBe('savepoint hook claude-code');
  });

  it('replaces hooks whose program is gone', async () => {
    const env = installProgram('savepoint');
    await project.run(['init', ...CLAUDE], { env });
    // Nothing is on PATH any more.
    expect((await project.run(['init', ...CLAUDE])).code).toBe(0);
    expect(readFileSync(settings, 'utf8')).toContain('savepoint.cjs');
    await project.run(['uninstall', ...CLAUDE]);
    expect(existsSync(settings)).toBe(false);
  });

  it('names an agent that it does not know, and says when it finds none', async () => {
    const unknown = await project.run(['init', '--agent', 'claud-code']);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('did you mean: claude-code');
    const none = await project.run(['init', '--yes']);
    expect(none.code).toBe(5);
    expect(none.out).toContain('No agent was found');
  });

  it('adds the commands of Claude Code as a plug-in without hooks', async () => {
    await project.run(['init', ...CLAUDE]);
    const folder = join(user, '.claude/skills/savepoint');
    expect(readdirSync(join(folder, 'commands')).sort()).toEqual([
      'list.md',
      'status.md',
      'undo-all.md',
      'undo.md',
    ]);
    expect(existsSync(join(folder, 'hooks'))).toBe(false);
  });

  it('allows the commands of Claude Code to run what they need and nothing else', async () => {
    await project.run(['init', ...CLAUDE], { env: installProgram('savepoint') });
    const folder = join(user, '.claude/skills/savepoint/commands');
    const allowed = readdirSync(folder).map((name) => {
      const [line] =
        /(?<=^allowed-tools: ).*/m.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
      return [name, line];
    });
    expect(Object.fromEntries(allowed)).toEqual({
      'list.md': 'Bash(savepoint list --limit 20), Bash(true)',
      'status.md': 'Bash(savepoint doctor), Bash(true)',
      'undo-all.md': 'Bash(savepoint rewind --session:*), Bash(true)',
      'undo.md': 'Bash(savepoint rewind --session:*), Bash(true)',
    });
  });
});

describe('links', () => {
  it('of a project do not lead init and uninstall out of it', async () => {
    const other = join(project.scratch, 'other');
    write(join(other, 'package.json'), '{ "name": "x" }\n');
    mkdirSync(project.path('.claude'));
    symlinkSync('../../other/package.json', project.path('.claude/settings.json'));
    symlinkSync(other, project.path('.opencode'));
    symlinkSync(join(project.scratch, 'nowhere'), project.path('.kilo'));
    const agents = ['--agent', 'claude-code,opencode,kilo', '--yes'];
    const { code, err } = await project.run(['init', ...agents, '--scope', 'project']);
    expect(code).toBe(1);
    expect(err.match(/leads out of the project/g)).toHaveLength(2);
    expect(Object.keys(treeOf(other))).toEqual(['package.json']);
    expect(readFileSync(join(other, 'package.json'), 'utf8')).toBe('{ "name": "x" }\n');
    expect(existsSync(join(project.scratch, 'nowhere'))).toBe(false);
    const nothing = await project.run(['uninstall', ...agents]);
    expect(nothing).toMatchObject({ code: 5, err: '' });
    // Hooks behind such a link are somebody else's to take out.
    const hook = { hooks: [{ type: 'command', command: 'savepoint hook claude-code' }] };
    const text = JSON.stringify({ hooks: { Stop: [hook] } });
    writeFileSync(join(other, 'package.json'), text);
    const out = await project.run(['uninstall', ...agents]);
    expect(out.err).toContain('leads out of the project');
    expect(readFileSync(join(other, 'package.json'), 'utf8')).toBe(text);
  });

  it('of your own settings are followed, and named', async () => {
    const dotfiles = join(project.scratch, 'dotfiles');
    mkdirSync(dotfiles);
    symlinkSync(dotfiles, join(user, '.claude'));
    const args = ['init', '--agent', 'claude-code', '--dry-run'];
    const { out } = await project.run(args);
    expect(out).toContain(`${settings} leads to ${join(dotfiles, 'settings.json')}\n`);
    await project.run(['init', ...CLAUDE]);
    expect((await project.run(['init', ...CLAUDE])).out).toContain('Nothing to do');
    expect((await project.run(['uninstall', ...CLAUDE])).code).toBe(0);
    expect(treeOf(dotfiles)).toEqual({});
  });

  it('from your own settings into the project make one file, not two', async () => {
    write(project.path('.claude/settings.json'), '{}\n');
    symlinkSync(project.path('.claude'), join(user, '.claude'));
    const env = installProgram('savepoint');
    expect((await project.run(['init', ...CLAUDE], { env })).code).toBe(0);
    const text = readFileSync(settings, 'utf8');
    const second = await project.run(['init', ...CLAUDE], { env });
    expect(second.out).toContain('Nothing to do');
    expect(second.code).toBe(5);
    const { out } = await project.run(['doctor', '--json'], { env });
    expect(JSON.parse(out).findings).toEqual([]);
    const shared = await project.run(['init', ...CLAUDE, '--scope', 'project'], { env });
    expect(shared.err).toContain('has no files of the scope project here');
    expect(readFileSync(settings, 'utf8')).toBe(text);
    expect((await project.run(['uninstall', ...CLAUDE], { env })).code).toBe(0);
    expect(readFileSync(settings, 'utf8')).toBe('{}\n');
  });
});

describe('off and on', () => {
  it('switch the hooks of a project, or of one session', async () => {
    const session = await project.run(['off', '--session', 's1', '--json']);
    expectSchema('off', session.out);
    expect(JSON.parse(session.out)).toMatchObject({ all: false, sessions: ['s1'] });
    expect((await project.run(['off'])).code).toBe(0);
    expect((await project.run(['off'])).code).toBe(5);
    const on = await project.run(['on', '--json']);
    expectSchema('on', on.out);
    expect(JSON.parse(on.out)).toMatchObject({ all: false, sessions: [] });
    expect((await project.run(['on'])).code).toBe(5);
  });

  it('know a session by the beginning of its id, as savepoint sessions prints it', async () => {
    const session = 'a-session-with-a-long-id';
    const work = () => project.write('a.txt', 'two\n');
    await project.agent({ message: 'm1', session, paths: ['a.txt'], work });
    const off = await project.run(['off', '--session', 'a-sessio', '--json']);
    expect(JSON.parse(off.out)).toMatchObject({ sessions: [session] });
    const unknown = await project.run(['off', '--session', 'another']);
    expect(unknown.code).toBe(0);
    expect(unknown.out).toContain('no session on record has this id');
  });
});
