import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, MAIN } from './cli-project.ts';
import { Terminal, type TerminalOptions } from './terminal.ts';

const UP = '\x1b[A';
const DOWN = '\x1b[B';
const ENTER = '\r';
const ESCAPE = '\x1b';
const CTRL_C = '\x03';

let project: CliProject;
let terminal: Terminal;
beforeEach(async () => {
  project = new CliProject({ 'a.txt': 'old\n' });
  await work('m1', 'Rename the variable', 'a.txt', 'new\n');
  await work('m2', '修复解析器并添加测试 👩‍💻', 'src/解析.txt', '解析\n');
  await work('m3', 'Break it\x1b[31m\u202e', 'a.txt', 'broken\n');
});
afterEach(async () => {
  await terminal.close();
  project.remove();
});

function work(message: string, description: string, name: string, content: string) {
  const paths = [name];
  return project.agent({ message, description, paths, work: () => project.write(name, content) });
}

/** The picker within a shell that says afterwards how it ended and how the terminal was left. */
function open(
  options: Partial<TerminalOptions> & { preload?: string; term?: string; args?: string } = {},
): Terminal {
  const preload = join(project.scratch, 'preload.mjs');
  const pid = `import { writeFileSync } from 'node:fs'; writeFileSync('${pidFile()}', String(process.pid));`;
  writeFileSync(preload, `${pid}\n${options.preload ?? ''}`);
  const term = options.term === undefined ? '' : `TERM=${options.term} `;
  const command = `${term}'${process.execPath}' --import '${preload}' '${MAIN}' rewind ${options.args ?? ''}`;
  const script = `${command}; echo "code=$?"; stty -a; echo end`;
  const env = project.env({ ...options.env });
  terminal = new Terminal(['-c', script], {
    cwd: project.root,
    program: '/bin/sh',
    ...options,
    env,
  });
  return terminal;
}

const pidFile = () => join(project.scratch, 'pid');
const pid = () => Number(readFileSync(pidFile(), 'utf8'));

/** Waits for the shell's end: the terminal is as it was, whatever happened. */
async function expectSane(): Promise<string> {
  await terminal.exit();
  const screen = terminal.screen();
  expect(terminal.isOrdinary).toBe(true);
  for (const [on, off] of [
    ['?25h', '?25l'],
    ['?2004l', '?2004h'],
    ['?7h', '?7l'],
  ] as const) {
    // Both are missing where the picker never opened.
    expect(terminal.raw.lastIndexOf(on)).toBeGreaterThanOrEqual(terminal.raw.lastIndexOf(off));
  }
  const modes = screen.replaceAll(/\s+/g, ' ');
  for (const mode of ['icanon', 'isig', 'echo', 'icrnl', 'opost']) {
    expect(modes).toMatch(new RegExp(`[ ;]${mode}\\b`));
  }
  return screen;
}

describe('savepoint rewind without an id, at a terminal', () => {
  it('offers what was made, and not what earlier rewinds kept', async () => {
    await project.run(['rewind', 'latest', '--yes']);
    await project.run(['undo']);
    open();
    await terminal.until('-new');
    expect(terminal.rows()[0]).toMatch(/ 3 of 3$/);
    expect(terminal.rows()[1]).toMatch(/^❯ @ \w{4} {2}\S+ +Break it/);
    terminal.type(ESCAPE);
    await expectSane();
  });

  it('marks what is taken back, and where the files stand', async () => {
    await project.run(['rewind', 'latest', '--yes']);
    open();
    await terminal.until('Nothing to take back.');
    expect(terminal.rows()[1]).toMatch(/^❯ {3}\w{4} {2}\S+ +\(taken back\)/);
    expect(terminal.rows()[2]).toMatch(/^ {2}@ \w{4} {2}/);
    terminal.type(ESCAPE);
    await expectSane();
  });

  it('shows the timeline and what each checkpoint takes back, chooses, asks and rewinds', async () => {
    open();
    await terminal.until('-new');
    const first = terminal.rows();
    expect(first[0]).toMatch(/^Rewind to: type to filter +3 of 3$/);
    expect(first[1]).toMatch(
      /^❯ @ \w{4} {2}(?:now|\d\ds) {2}Break it\\x1b\[31m\S* +│ Break it\\x1b\[31m/,
    );
    expect(first[2]).toMatch(
      /^ {4}\w{4} {2}(?:now|\d\ds) {2}修复解析器\S* +│ .*(?:now|ago), test-agent, \w{8}$/,
    );
    expect(first).toHaveLength(24);
    // Both halves stay where they are, beside whatever letters.
    expect(new Set(first.slice(1, -1).map((row) => [...row].includes('│')))).toEqual(
      new Set([true]),
    );

    terminal.type(DOWN);
    await terminal.until('+解析');
    expect(terminal.screen()).toContain('delete    src/解析.txt');
    expect(terminal.screen()).toContain('│ What will be taken back:');
    terminal.type(DOWN + DOWN + DOWN + UP + DOWN);
    await terminal.until('-old');
    expect(terminal.screen()).toMatch(/❯ {3}\w{4} {2}(?:now|\d\ds) {2}Rename the varia/);
    terminal.type(ENTER);
    const question = 'Rewind 2 files and 1 folder to before "Rename the variable"? y/N';
    await terminal.until(question);
    // The list is still there, and Esc leads back to it.
    expect(terminal.isOrdinary).toBe(false);
    expect(terminal.rows().at(-1)).toBe(question);
    expect(terminal.rows()[0]).toMatch(/^Rewind to: /);
    terminal.type(ESCAPE);
    await terminal.until('Esc leaves');
    terminal.type(ENTER);
    await terminal.until(question);
    terminal.type('y');
    const screen = await expectSane();
    expect(screen).toContain('code=0');
    expect(terminal.raw).toContain('Done: 1 restored, 2 deleted.');
    expect([project.read('a.txt'), project.read('src/解析.txt')]).toEqual(['old\n', null]);
  });

  it('filters by what was said, in any script, and by paths', async () => {
    open();
    await terminal.until('3 of 3');
    terminal.type('解析器');
    await terminal.until('Rewind to: 解析器▏');
    expect(terminal.screen()).toContain('1 of 3');
    terminal.type(ESCAPE);
    await terminal.until('type to filter');
    // Known only once somebody types.
    terminal.type('A.TXT');
    await terminal.until('2 of 3');
    // The keys of every text here: by words, cut and yank, undo.
    terminal.type('\x1bbx');
    await terminal.until('Rewind to: A.x▏TXT');
    terminal.type('\x7f\x0b\x01\x19');
    await terminal.until('Rewind to: TXT▏A.');
    terminal.type('\x1f');
    await terminal.until('Rewind to: ▏A.');
    terminal.type('\x05\x15\x1b[200~no\nsuch\x1b[201~');
    await terminal.until('nothing fits');
    terminal.type(ENTER);
    terminal.type('\x17\x17renam');
    await terminal.until((screen) => /❯ {3}\w{4} {2}\S+ +Rename/.test(screen));
    terminal.type(`${ENTER}y\r`);
    await terminal.until('y/N');
    // What was typed with the Enter answered nothing.
    expect(project.read('a.txt')).toBe('broken\n');
    terminal.type('\r');
    await terminal.until('Esc shows all');
    terminal.type(ESCAPE);
    await terminal.until('Esc leaves');
    terminal.type(ESCAPE);
    expect(await expectSane()).toContain('code=130');
    expect(terminal.raw).toContain('Nothing was changed.');
    expect(project.read('a.txt')).toBe('broken\n');
  });

  it('does what was agreed to, or nothing where a file changed meanwhile', async () => {
    open();
    await terminal.until('-new');
    terminal.type(ENTER);
    await terminal.until('Rewind 1 file to before');
    project.write('a.txt', 'mine\n');
    terminal.type('y');
    const screen = await expectSane();
    expect(terminal.raw).toContain('savepoint: ');
    expect(screen).toContain('code=1');
    expect(project.read('a.txt')).toBe('mine\n');
  });

  it('shows and does what was decided about a conflict on the command line', async () => {
    await work('m4', 'Add another', 'b.txt', 'agent\n');
    project.write('a.txt', 'mine\n');
    open({ args: '--on-conflict restore --resolve a.txt=keep' });
    // The newest message did not touch the file, so it cannot be chosen with this decision.
    await terminal.until((screen) =>
      /there is no conflict at this path\s.*\(a\.txt\)/s.test(screen),
    );
    terminal.type(ENTER);
    await terminal.until('Esc back');
    terminal.type('y');
    terminal.type(ESCAPE);
    await terminal.until('Esc leaves');
    terminal.type(DOWN);
    await terminal.until('keep      a.txt');
    terminal.type(ENTER);
    await terminal.until('y/N');
    terminal.type('y');
    expect(await expectSane()).toContain('code=0');
    expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['mine\n', null]);
  });

  it('scrolls a long diff, and follows a resize', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n}\n`).join('');
    await work('m4', 'A long one', 'long.txt', lines);
    open();
    await terminal.until('+line 5');
    terminal.type('\t\x1b[6~');
    await terminal.until('+line 30');
    terminal.resize(50, 10);
    await terminal.until((screen) => !screen.includes('│') && screen.includes('A long one'));
    expect(terminal.rows()).toHaveLength(10);
    terminal.resize(120, 40);
    await terminal.until((screen) => screen.split('\n')[38]?.includes('│') === true);
    expect(terminal.rows().at(-1)).toMatch(/^Enter chooses/);
    terminal.type(ESCAPE);
    await terminal.until('Esc leaves');
    terminal.type(ESCAPE);
    expect(await expectSane()).toContain('code=130');
    expect(terminal.screen()).toContain('Nothing was changed.');
  });

  it('leaves with Ctrl-C, and says that nothing was changed', async () => {
    open({ env: { NO_COLOR: '1' } });
    await terminal.until('-new');
    expect(terminal.raw).not.toMatch(/\x1b\[\d+m/);
    terminal.type(CTRL_C);
    const screen = await expectSane();
    expect(screen).toContain('savepoint: interrupted; nothing was changed');
    expect(screen).toContain('code=130');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('gives the terminal back on %s', async (signal, code) => {
    open();
    await terminal.until('-new');
    process.kill(pid(), signal);
    expect(await expectSane()).toContain(`code=${code}`);
  });

  it('gives the terminal back when something fails that nobody expected', async () => {
    const preload = "process.on('SIGUSR2', () => { throw new Error('boom'); });";
    open({ preload });
    await terminal.until('-new');
    process.kill(pid(), 'SIGUSR2');
    const screen = await expectSane();
    expect(terminal.raw.slice(terminal.raw.lastIndexOf('\x1b[?1049l'))).toContain('Error: boom');
    expect(screen).toContain('code=1');
  });

  it('refuses a terminal that cannot do it, and names what can', async () => {
    open({ term: 'dumb' });
    const screen = await expectSane();
    expect(screen).toContain('savepoint: which checkpoint?');
    expect(screen).toContain('savepoint list');
    expect(screen).toContain('code=2');
  });

  it('says so when there is nothing to choose from', async () => {
    await project.open(async (savepoint) => {
      await savepoint.evict((await savepoint.list()).map(({ id }) => id));
    });
    open();
    const screen = await expectSane();
    expect(screen).toContain('Nothing to do: there is no checkpoint in the timeline.');
    expect(screen).toContain('code=5');
  });
});

describe.skipIf(!existsSync('/bin/bash'))('Ctrl-Z in the picker', () => {
  it('gives the terminal to the shell, and takes it again', async () => {
    const env = project.env({ PS1: 'prompt> ' });
    const args = ['--norc', '--noprofile', '-i'];
    terminal = new Terminal(args, { cwd: project.root, program: '/bin/bash', env });
    await terminal.until('prompt>');
    terminal.type(`'${process.execPath}' '${MAIN}' rewind\r`);
    await terminal.until('-new');
    terminal.type('\x1a');
    await terminal.until((screen) => /Stopped/.test(screen));
    expect(terminal.isOrdinary).toBe(true);
    terminal.type('stty -a\r');
    await terminal.until((screen) => /[ ;]icanon/.test(screen) && /[ ;]echo /.test(screen));
    terminal.type('fg\r');
    await terminal.until((screen) => screen.startsWith('Rewind to:') && screen.includes('-new'));
    expect(terminal.isOrdinary).toBe(false);
    terminal.type(DOWN);
    await terminal.until('+解析');
    terminal.type(ESCAPE);
    await terminal.until('Nothing was changed.');
    expect(terminal.isOrdinary).toBe(true);
  });
});
