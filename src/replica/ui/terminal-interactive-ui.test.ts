import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PATH } from '../../../test/e2e/cli-project.ts';
import { Terminal } from '../../../test/e2e/terminal.ts';
import { builtProgram } from '../../../test/setup/built.ts';

const PROGRAM = builtProgram('test/e2e/ui-program.ts');
const DOWN = '\x1b[B';
const ENTER = '\r';
const ESCAPE = '\x1b';
const CTRL_C = '\x03';
const RULE = /^─+$/;

let scratch: string;
let terminal: Terminal;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'replica-ui-'));
});
afterEach(() => terminal.close());
afterAll(() => rmSync(scratch, { recursive: true }));

/** The UI within a shell that says afterwards how it ended and how the terminal was left. */
async function open(
  options: { env?: Record<string, string>; columns?: number; rows?: number } = {},
): Promise<void> {
  const script = `'${process.execPath}' '${PROGRAM}'; echo "code=$?"; stty -a; echo end`;
  const env = { PATH, HOME: scratch, ...options.env };
  terminal = new Terminal(['-c', script], { ...options, cwd: scratch, program: '/bin/sh', env });
  await terminal.until('Esc Esc rewinds');
}

/** Types, and waits for what comes of it. */
async function type(keys: string, seen: string | ((screen: string) => boolean)): Promise<string> {
  terminal.type(keys);
  return terminal.until(seen);
}

/** The terminal is as it was, and of the UI only what has scrolled by is left. */
async function expectSane(code = 0): Promise<string> {
  await terminal.exit();
  const all = terminal.allRows();
  const screen = all.join('\n');
  expect(screen).toContain(`code=${code}\n`);
  for (const [on, off] of [
    ['?25h', '?25l'],
    ['?2004l', '?2004h'],
  ] as const) {
    expect(terminal.raw.lastIndexOf(on)).toBeGreaterThan(terminal.raw.lastIndexOf(off));
  }
  const modes = screen.slice(screen.indexOf('code=')).replaceAll(/\s+/g, ' ');
  for (const mode of ['icanon', 'isig', 'echo', 'icrnl', 'opost']) {
    expect(modes).toMatch(new RegExp(`[ ;]${mode}\\b`));
  }
  if (code !== 0) return screen;
  // Node gives the modes back by itself at its end; this is of before.
  expect(screen).toContain('raw=false\n');
  expect(all.filter((row) => RULE.test(row))).toEqual([]);
  return screen;
}

const isIdle = (screen: string): boolean => screen.split('\n').some((row) => row === '>');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const times = (text: string, part: string): number => text.split(part).length - 1;

describe('the interactive UI at a terminal', () => {
  it('takes Chinese, a long paste, slash commands and lines, and submits them whole', async () => {
    await open();
    await type('修复解析器👩‍💻', '> 修复解析器👩‍💻');
    // An input method composes at the cursor.
    await terminal.until(() => terminal.cursor.column === 14);
    await type(ENTER, `submitted ${'修复解析器👩‍💻'.length} characters`);
    const pasted = Array.from({ length: 1_001 }, (_, i) => `第${i % 10}行文字，abc`).join('\n');
    const text = pasted.slice(0, 10_000);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
    await type(`\x1b[200~${text}\x1b[201~`, '> [Pasted 1,000 lines]');
    await type(ENTER, `submitted 10000 characters ${hash}`);
    await type('/', '/undo        what /undo does');
    await type('un\t', '> /undo\n');
    await type(ENTER, 'submitted 5 characters');
    await type('one\ntwo', '> one\n  two');
    await type(ENTER, 'submitted 7 characters');
    await type('edit\r', '> taken back');
    await type(`\x15\x04`, 'end');
    expect(await expectSane()).toContain('submitted 7 characters');
  });

  it('opens the menu by Esc Esc only when that is fast, and takes arrows and numbers', async () => {
    await open();
    await type('some text', '> some text');
    await type(ESCAPE + ESCAPE, '2 files +10 -3');
    expect(terminal.screen()).toContain(
      '❯ 1  2 minutes ago  Prompt number 1  1 file +2 -3 → 1 file +10 -3',
    );
    await type(DOWN, '❯ 2  4 minutes ago  修复解析器并添加测试');
    const screen = await type(ENTER, 'chose entry-2');
    expect(screen).toContain('> some text');
    await type('\x15', isIdle);
    terminal.type(ESCAPE);
    await pause(700);
    terminal.type(ESCAPE);
    await pause(700);
    expect(terminal.screen()).not.toContain('Rewind');
    await type(`${ESCAPE}${ESCAPE}`, 'Rewind');
    await type('3', 'chose entry-3');
    await type('long menu\r', '1–25');
    await type('12', 'chose entry-12');
    await type('menu\r', 'Rewind');
    await type('/lunch', ': lunch▏');
    expect(terminal.screen()).not.toContain('Prompt number 1');
    await type(ENTER, 'chose entry-3');
    await type('menu\r', 'Rewind');
    await type('d', 'lines 1–');
    await type(ESCAPE, 'Rewind');
    await type('o', '❯ 1  2 minutes ago  Of another conversation 1');
    await type(ESCAPE, '❯ 1  2 minutes ago  Prompt number 1');
    await type('o', 'Of another conversation 1');
    await type('2', 'chose other-2');
    await type('menu\r', 'Rewind');
    await type('0', 'left the menu');
    await type('choice\r', 'lines 1–');
    await type('\x1b[6~3', 'took back both');
    await type('select\r', '     the first of them');
    await type(`${DOWN}${ENTER}`, 'selected two');
    await type('\x04', 'end');
    await expectSane();
  });

  it('draws itself anew on a resize, with nothing left over', async () => {
    await open({ columns: 80, rows: 24 });
    await type('talk\r', '… 5 more lines');
    await type('menu\r', '❯ 1  2 minutes ago');
    for (const [columns, rows, sign] of [
      [40, 10, '❯ 1  Prompt number 1'],
      [100, 30, '│ +line 20 of prompt 1'],
      [20, 6, '❯ 1'],
      [80, 24, '❯ 1  2 minutes ago'],
    ] as const) {
      terminal.resize(columns, rows);
      const screen = await terminal.until(
        (now) => now.includes(sign) && times(now, 'Rewind') === 1,
      );
      expect(times(screen, '❯')).toBe(1);
    }
    await type(ESCAPE, 'left the menu');
    expect(terminal.rows().filter((row) => RULE.test(row))).toEqual([
      '─'.repeat(80),
      '─'.repeat(80),
    ]);
    expect(times(terminal.screen(), '● Write notes.txt')).toBe(1);
    await type('\x0f', '  I wonder what this is.');
    expect(terminal.screen()).toContain('    13 + result 13');
    await type('clear\r', (screen) => isIdle(screen) && !screen.includes('result'));
    await type('\x04', 'end');
    await expectSane();
  });

  it('leaves nothing blank after a tall dialog, and after offers', async () => {
    await open({ columns: 60, rows: 20 });
    for (let i = 0; i < 8; i += 1) await type(`line ${i}${ENTER}`, `> line ${i}\n`);
    const isFull = (screen: string): boolean => {
      const rows = screen.split('\n');
      return rows.length === 20 && rows.at(-1)?.includes('Esc Esc') === true;
    };
    await terminal.until(isFull);
    await type(`choice${ENTER}`, 'lines 1–');
    const after = await type(
      ESCAPE,
      (screen) => screen.includes('took back null') && isFull(screen),
    );
    expect(after).toContain('> line 5');
    await type('/c', 'what /checkpoint does');
    const without = await type('\x15', (screen) => !screen.includes('/c') && isFull(screen));
    expect(without).toContain('> line 5');
  });

  it('shows prompts that wait below, and ↑ takes back the last of them', async () => {
    await open({ columns: 60 });
    const waits = await type(`queue${ENTER}`, '(↑ takes it back)');
    expect(waits).toContain('waits: the first that waits\n');
    expect(waits).toContain('waits: the second that waits (↑ takes it back)\n');
    const UP = '\x1b[A';
    await type(UP, (screen) => screen.includes('> the second that waits\n'));
    expect(terminal.screen()).toContain('waits: the first that waits (↑ takes it back)\n');
  });

  it('draws a long conversation from its end, and says how much is above', async () => {
    await open({ columns: 60 });
    await type(`notices${ENTER}`, 'an info');
    await type(`resume${ENTER}`, 'answered 60');
    const all = terminal.allRows().join('\n');
    expect(all).toContain('… 20 earlier entries, 10 prompts among them');
    expect(all).not.toContain('answered 10\n');
    expect(all).toContain('> asked 11');
    expect(terminal.screen()).not.toContain('an info');
    const UP = '\x1b[A';
    await type(UP, '> asked 60');
  });

  it('keeps all of a long answer, once, in a small terminal, without colours by NO_COLOR', async () => {
    await open({ columns: 40, rows: 10, env: { NO_COLOR: '1' } });
    await type('stream\r', 'streamed all');
    const shown = terminal.allRows().filter((row) => row.startsWith('streamed line'));
    expect(shown).toEqual(Array.from({ length: 60 }, (_, i) => `streamed line ${i + 1}`));
    await type('notices\r', 'an info');
    await type('talk\r', 'more lines');
    await type('menu\r', '2 files');
    await type('0', 'left the menu');
    await type('\x04', 'end');
    await expectSane();
    expect(terminal.raw).not.toMatch(/\x1b\[[\d;]*m/);
  });

  it('takes Ctrl-C in every state, and gives the terminal back', async () => {
    await open();
    await type('busy\r', 'running Bash (Esc interrupts)');
    await type(CTRL_C, 'interrupted');
    await type('busy\r', 'running Bash (Esc interrupts)');
    await type(ESCAPE, (screen) => times(screen, 'interrupted') === 2);
    await type('some text', '> some text');
    await type(CTRL_C, isIdle);
    await type('menu\r', 'Rewind');
    await type(CTRL_C, 'left the menu');
    await type('permission\r', 'Run a command?');
    await type(CTRL_C, 'first no');
    await type('confirm\r', 'Delete it?');
    await type(CTRL_C, 'confirmed false');
    await type(CTRL_C, 'press Ctrl-C again to leave');
    await type(CTRL_C, 'end');
    await expectSane();
  });

  it('gives the terminal back at a signal, and answers the question that is open', async () => {
    await open();
    await type('signal\r', 'end');
    const screen = await expectSane();
    expect(screen).toContain('first no');
    expect(screen).not.toContain('Run a command?');
  });

  it('gives the terminal back when the program dies of an error', async () => {
    await open();
    await type('crash\r', 'Error: a bug');
    await terminal.until('end');
    await expectSane(1);
  });

  it.skipIf(!existsSync('/bin/bash'))('gives the terminal to the shell at Ctrl-Z', async () => {
    const env = { PATH, HOME: scratch, PS1: 'prompt> ' };
    const args = ['--norc', '--noprofile', '-i'];
    terminal = new Terminal(args, { cwd: scratch, program: '/bin/bash', env });
    await terminal.until('prompt>');
    await type(`'${process.execPath}' '${PROGRAM}'\r`, 'Esc Esc rewinds');
    await type('some text', '> some text');
    await type('\x1a', 'Stopped');
    await type('stty -a\r', (screen) => /[ ;]icanon/.test(screen) && /[ ;]echo /.test(screen));
    await type('fg\r', '> some text');
    await type(' and more', '> some text and more');
    await type('\x15\x04', 'prompt>');
  });

  it('asks for permission, one question at a time, shows no control characters, and colours', async () => {
    await open();
    await type('permission\r', 'rm -rf build\\x1b[2J');
    await type('a', 'first always');
    await type('permission\r', 'Run a command?');
    await type(ESCAPE, 'first no');
    await type('permission\r', '4  No, and say what to do instead: type it');
    expect(terminal.screen()).toContain('ask again in this conversation for this command (a)');
    // A letter that is no answer begins a line; Esc goes back to the answers.
    await type('use pn', '> use pn▏');
    await type(ESCAPE, (screen) => !screen.includes('use pn'));
    await type('4use pnpm\r', 'first no, use pnpm');
    await type('two\r', 'One?');
    await type('1', 'Two?');
    await type('n', 'both once no');
    await type('aborted\r', 'aborted no');
    await type('confirm\r', 'Delete it?');
    await type('y', 'confirmed true');
    await type('notices\r', 'an error \\x1b[2J\\u{202e}');
    for (const painted of ['33ma warning', '31man error', '32ma success', '2man info']) {
      expect(terminal.raw).toContain(`\x1b[${painted}`);
    }
    await type('\x04', 'end');
    await expectSane();
  });
});
