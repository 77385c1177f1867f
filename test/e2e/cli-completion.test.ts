import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCRIPTS, type Shell } from '../../src/cli/commands/completion.ts';
import { timelineWords } from '../../src/cli/completion/complete.ts';
import { processIo } from '../../src/cli/io.ts';
import { CliProject, MAIN, PATH } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { Terminal } from './terminal.ts';

const project = new CliProject({ 'a.txt': 'old\n', 'folder/b.txt': '' });
const bin = join(project.scratch, 'bin');
const trap = project.path('trapped');

// What a shell would run, split, expand or take for an option, were it not quoted.
const HOSTILE = `it's $(touch trapped) \`touch trapped\` ; touch trapped & "x" !1 *\\`;
/** Labels that can be given; the rest of what is unfit can only be the id of a session. */
const UNFIT_LABELS = ['-rf', '\u202eturned'];
const UNFIT = ['-rf', 'two\nlines', 'tab\tbed', '\u001b[2Jclear', '\u202eturned'];
const CHECKPOINTS = [HOSTILE, ...UNFIT, HOSTILE, ...UNFIT_LABELS].length;

beforeAll(async () => {
  mkdirSync(bin);
  const shim = join(bin, 'savepoint');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(shim, 0o755);
  for (const session of [HOSTILE, ...UNFIT]) {
    await project.open((savepoint) =>
      savepoint.checkpoint({ sessionId: session, messageId: 'm', description: '$(touch trapped)' }),
    );
  }
  await project.open(async (savepoint) => {
    for (const label of [HOSTILE, ...UNFIT_LABELS]) await savepoint.checkpoint({ label });
  });
});
afterAll(() => project.remove());

function shellEnv(): Record<string, string> {
  return { ...project.env(), PATH: [bin, PATH].join(delimiter) };
}

function has(shell: Shell): boolean {
  return spawnSync(shell, ['--version'], { env: { PATH } }).status === 0;
}

/** What bash would offer for these words. */
function bashOffers(...words: string[]): string[] {
  const script = `${SCRIPTS.bash}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _savepoint; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], {
    cwd: project.root,
    env: shellEnv(),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

describe('savepoint completion', () => {
  it('shows its help', async () => {
    const { out } = await project.run(['completion', '--help']);
    expect(out).toMatchInlineSnapshot(`
      "usage: savepoint completion bash|zsh|fish [options]

      Prints the script for a shell; have it loaded where your shell reads its settings. It asks Savepoint
      for what fits at the cursor: commands, options, checkpoints, labels, sessions, operations.

      options:
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        source <(savepoint completion bash)  in ~/.bashrc
        source <(savepoint completion zsh)   in ~/.zshrc, after compinit
        savepoint completion fish | source   in ~/.config/fish/config.fish
      "
    `);
  });

  it('prints a script, also as JSON, and refuses a shell that it does not know', async () => {
    const plain = await project.run(['completion', 'bash']);
    expect(plain).toEqual({ code: 0, out: SCRIPTS.bash, err: '' });
    const json = await project.run(['completion', 'zsh', '--json']);
    expectSchema('completion', json.out);
    expect(JSON.parse(json.out)).toEqual({ version: 1, shell: 'zsh', script: SCRIPTS.zsh });
    const unknown = await project.run(['completion', 'tcsh', '--json']);
    expect(unknown.code).toBe(2);
    expectSchema('error', unknown.out);
  });

  it('says at a terminal where the script goes', async () => {
    const { code, raw } = await project.see(['completion', 'fish']);
    expect(code).toBe(0);
    expect(raw).toContain('hint: see where it goes with');
  });

  it('offers nothing, and says nothing, whatever it is asked', async () => {
    for (const words of [
      [],
      ['--'],
      ['--', 'frob', ''],
      ['--', 'list', '--project', '/nowhere', ''],
    ]) {
      const { code, err } = await project.run(['__complete', ...words]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
    }
    const nowhere = ['--', 'export', '--project', '/nowhere', '--session', ''];
    expect(await project.run(['__complete', ...nowhere])).toEqual({
      code: 0,
      out: 'words\n',
      err: '',
    });
  });

  it('knows the command behind options that stand before it', async () => {
    const offered = async (...words: string[]) =>
      (await project.run(['__complete', '--', ...words])).out;
    expect(await offered('--json', 'redo')).toMatch(/^words\nredo\t.*\n$/);
    expect(await offered('--project', '/nowhere', 'list', '--lim')).toMatch(/^words\n--limit\t/);
    expect(await offered('--project', '')).toBe('words\n');
  });

  it('names labels and ids that cannot do harm', async () => {
    const env = project.env();
    const io = { ...processIo({ json: false }), env, cwd: project.root, now: Date.now };
    io.close();
    const words = await timelineWords(io, new Map(), 'checkpoint');
    const labels = words
      .map(({ value }) => value)
      .filter((value) => !/^[a-z0-9]{6,16}$/.test(value));
    expect(labels).toEqual([HOSTILE]);
    expect(words.filter(({ value }) => value === 'latest')).toHaveLength(1);
    expect(words.length).toBe(1 + 1 + CHECKPOINTS);
  });
});

describe('in bash', () => {
  it('completes commands, options, words and files', () => {
    expect(bashOffers('savepoint', 'exp')).toEqual(['export']);
    expect(bashOffers('savepoint', 'export', '--fo')).toEqual(['--force']);
    expect(bashOffers('savepoint', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(bashOffers('savepoint', 'export', 'a')).toEqual(['a.txt']);
    expect(bashOffers('savepoint', 'list', '--project', 'fo')).toEqual(['folder']);
  });

  it('completes ids, labels and operations of the timeline', () => {
    const offered = bashOffers('savepoint', 'show', '');
    expect(offered[0]).toBe('latest');
    expect(offered.filter((word) => /^[a-z2-9]{16}$/.test(word))).toHaveLength(CHECKPOINTS);
    expect(offered.filter((word) => word.includes('touch'))).toHaveLength(1);
    expect(bashOffers('savepoint', 'rewind', 'lat')).toEqual(['latest']);
    expect(bashOffers('savepoint', 'undo', '')).toEqual([]);
    expect(existsSync(trap)).toBe(false);
  });

  it('quotes what it offers, also after a sign of equality', () => {
    for (const typed of [
      ['--session', ''],
      ['--session', '='],
      ['--session', '=', 'it'],
    ]) {
      const [only, ...more] = bashOffers('savepoint', 'export', ...typed);
      expect(more).toEqual([]);
      const { stdout } = spawnSync('bash', ['-c', `printf %s ${only}`], {
        cwd: project.root,
        env: shellEnv(),
        encoding: 'utf8',
      });
      expect(stdout).toBe(HOSTILE);
    }
    expect(existsSync(trap)).toBe(false);
  });
});

const SETUP: Record<Shell, { args: string[]; lines: string[] }> = {
  bash: {
    args: ['--norc', '--noprofile', '-i'],
    lines: ['source <(savepoint completion bash)'],
  },
  zsh: {
    args: ['-f', '-i'],
    lines: [
      'autoload -Uz compinit; compinit -u -D',
      'source <(savepoint completion zsh)',
      'unsetopt banghist',
    ],
  },
  fish: {
    args: ['--no-config', '-i'],
    lines: ['savepoint completion fish | source'],
  },
};

describe.each(Object.keys(SETUP) as Shell[])('typed at %s', (shell) => {
  it.skipIf(!has(shell))('a key completes a session, and the line means what it says', async () => {
    const { args, lines } = SETUP[shell];
    const terminal = new Terminal(args, {
      program: shell,
      cwd: project.root,
      env: { ...shellEnv(), TERM: 'xterm-256color', PS1: '> ' },
      columns: 200,
    });
    try {
      for (const [at, line] of lines.entries()) {
        terminal.type(`${line}; echo re''ady-${at}\r`);
        await terminal.until(`ready-${at}`);
      }
      terminal.type('savepoint export --session it\t');
      await terminal.until('trapped');
      // The line is not run, but printed as the shell understands it.
      terminal.type("\x01printf '<%s>\\n' \x05\r");
      const screen = await terminal.until((text) => text.includes('\n<--session>'));
      expect(screen).toContain(`\n<${HOSTILE}>`);
      expect(existsSync(trap)).toBe(false);
    } finally {
      await terminal.close();
    }
  });
});
