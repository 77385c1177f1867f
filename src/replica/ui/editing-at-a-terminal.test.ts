import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PATH } from '../../../test/e2e/cli-project.ts';
import { Terminal } from '../../../test/e2e/terminal.ts';
import { builtProgram } from '../../../test/setup/built.ts';

const PROGRAM = builtProgram('test/e2e/ui-program.ts');
const UP = '\x1b[A';
const UNDO = '\x1f';
const CTRL_R = '\x12';
const CTRL_G = '\x07';

let scratch: string;
let terminal: Terminal;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'replica-editing-'));
});
afterEach(() => terminal.close());
afterAll(() => rmSync(scratch, { recursive: true }));

async function open(
  options: { env?: Record<string, string>; columns?: number; rows?: number } = {},
): Promise<void> {
  const env = { PATH, HOME: scratch, ...options.env };
  terminal = new Terminal([PROGRAM], { ...options, cwd: scratch, env });
  await terminal.until('offline model');
}

async function type(keys: string, seen: string | ((screen: string) => boolean)): Promise<string> {
  terminal.type(keys);
  return terminal.until(seen);
}

/** The input holds exactly this. */
const holds =
  (...lines: string[]) =>
  (screen: string): boolean => {
    const rows = screen.split('\n');
    const end = rows.findLastIndex((row) => /^─+$/.test(row));
    const begin = rows.slice(0, end).findLastIndex((row) => /^─+$/.test(row));
    const [first = '', ...others] = lines;
    const wanted = [`> ${first}`.trimEnd(), ...others.map((line) => `  ${line}`.trimEnd())];
    return rows.slice(begin + 1, end).join('\n') === wanted.join('\n');
  };

describe('the editor at a terminal', () => {
  it('moves by words and lines, cuts, yanks and undoes', async () => {
    await open();
    await type('see src/main.ts now', holds('see src/main.ts now'));
    await type('\x1b[1;5D\x1bb\x1b[1;3D_', holds('see src/_main.ts now'));
    await type('\x1bf\x1b[1;5C!', holds('see src/_main.ts! now'));
    await type('\x01\x1bf,\x05.', holds('see, src/_main.ts! now.'));
    await type('\x17', holds('see, src/_main.ts!'));
    await type('\x1b\x7f', holds('see, src/_main.'));
    await type('\x1b[Hx \x1bd', holds('x , src/_main.'));
    await type('\x05\x19', holds('x , src/_main.see'));
    await type('\x1by', holds('x , src/_main.ts! now.'));
    await type(UNDO, holds('x , src/_main.'));
    await type('\nsecond\\\rthird', holds('x , src/_main.', 'second', 'third'));
    await type('\x1b\rfourth', holds('x , src/_main.', 'second', 'third', 'fourth'));
    await type(`${'\x15'.repeat(4)}\x1b[H\x0b`, holds('x , src/_main.', ''));
    await type(`${UP}\x0b\x0b`, holds(''));
    await type('\x19', holds('x , src/_main.', ''));
    await type('\x03', holds(''));
    await type(UNDO, holds('x , src/_main.', ''));
  });

  it('asks a terminal that can to tell Shift-Enter, and gives that back', async () => {
    await open();
    expect(terminal.raw).toContain('\x1b[?u');
    expect(terminal.raw).not.toContain('\x1b[>1u');
    // As a terminal answers that knows kitty's protocol.
    terminal.type('\x1b[?0u');
    await terminal.until(() => terminal.raw.includes('\x1b[>1u'));
    await type('one\x1b[13;2utwo\x1b[119;5u', holds('one', ''));
    await type('\x1b[99;5u', holds(''));
    terminal.type('\x1b[100;5u');
    await terminal.exit();
    expect(terminal.raw.lastIndexOf('\x1b[<u')).toBeGreaterThan(
      terminal.raw.lastIndexOf('\x1b[>1u'),
    );
  });

  it('folds a paste to a mark, sends it whole, and recalls and searches what was sent', async () => {
    await open({ columns: 60 });
    const pasted = Array.from({ length: 120 }, (_, i) => `line ${i + 1}`).join('\n');
    await type(`see \x1b[200~${pasted}\x1b[201~ ok`, holds('see [Pasted 120 lines] ok'));
    await type('\r', `submitted ${pasted.length + 7} characters`);
    await type('fix the parser\r', 'submitted 14 characters');
    await type(' a secret\r', 'submitted 9 characters');
    await type('draft', holds('draft'));
    await type(UP, holds('fix the parser'));
    await type('\x1b[B', holds('draft'));
    const screen = await type(`${CTRL_R}LINE 7`, 'search: LINE 7▏');
    expect(screen).toContain('line 1');
    await type('\x15PARS', 'search: PARS▏');
    await terminal.until(holds('fix the parser'));
    await type('zz', 'search: PARSzz▏ nothing found');
    await terminal.until(holds('draft'));
    await type('\x03', (now) => !now.includes('search:'));
    await type(`${CTRL_R}secret`, 'nothing found');
    await type('\x15fix\t!', holds('fix the parser!'));
    await type(`\x15${CTRL_R}fix\r`, (now) => now.split('submitted 14').length === 3);
  });

  it('lists the keys by ?, at any width, until the next key', async () => {
    for (const columns of [60, 80, 120]) {
      await open({ columns, rows: 40 });
      const screen = await type('?', 'Ctrl-R');
      expect(screen).toContain('Esc Esc');
      expect(screen).toContain('Ctrl-D');
      expect(screen).not.toContain('…');
      await type('why', (now) => holds('why')(now) && !now.includes('Ctrl-R'));
      if (columns !== 120) await terminal.close();
    }
  });

  it('opens the text in the editor that is set, and leaves it alone when that fails', async () => {
    const told = join(scratch, 'told');
    const editor = join(scratch, 'my editor');
    const script = [
      'echo "$2" > "$1"; stat -c %a "$2" >> "$1"; cat "$2" >> "$1"',
      '[ -t 0 ] && stty -a | grep -q " icanon" && echo cooked >> "$1"',
      'printf "in the editor\\n"; read answer',
      '[ "$answer" = fail ] && exit 1',
      'printf "%s\\nby the editor\\n" "$answer" > "$2"',
    ];
    writeFileSync(editor, `#!/bin/sh\n${script.join('\n')}\n`);
    chmodSync(editor, 0o755);
    await open({ env: { EDITOR: `'${editor}' '${told}'` } });
    await type('busy\r', 'running Bash');
    await type('one\ntwo', holds('one', 'two'));
    await type(CTRL_G, 'in the editor');
    await type('changed\r', holds('changed', 'by the editor'));
    const [path = '', mode, ...rest] = readFileSync(told, 'utf8').split('\n');
    expect([mode, ...rest]).toEqual(['600', 'one', 'twocooked', '']);
    expect(existsSync(dirname(path))).toBe(false);
    await type(UNDO, holds('one', 'two'));
    await type('\x18\x05', (now) => now.split('in the editor').length === 3);
    await type('fail\r', 'my editor ended with 1: the text is as it was');
    await terminal.until(holds('one', 'two'));
    // The agent's sign goes on moving, and keys are heard.
    await type('!', holds('one', 'two!'));
    await type('\x1b', 'interrupted');
  });

  it.skipIf(!existsSync('/bin/bash'))(
    'is suspended by Ctrl-Z, a question open or not',
    async () => {
      const env = { PATH, HOME: scratch, PS1: 'prompt> ' };
      const args = ['--norc', '--noprofile', '-i'];
      terminal = new Terminal(args, { cwd: scratch, program: '/bin/bash', env });
      await terminal.until('prompt>');
      await type(`'${process.execPath}' '${PROGRAM}'\r`, 'offline model');
      await type('permission\r', 'Run a command?');
      await type('\x1a', 'Stopped');
      await type('stty -a\r', (screen) => /[ ;]icanon/.test(screen) && /[ ;]echo /.test(screen));
      await type(
        'fg\r',
        (screen) => screen.includes('Run a command?') && !screen.includes('icanon'),
      );
      await type('1', 'first once');
      await type(`some${CTRL_R}perm`, holds('permission'));
      await type('\x1a', (screen) => screen.endsWith('prompt>'));
      await type('fg\r', holds('permission'));
      await type('\x03', holds('some'));
      await type('\x15\x04', 'prompt>');
    },
  );
});
