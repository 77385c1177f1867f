import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSavepoint, storeDirectory } from '../../src/index.ts';
import { CliProject, MAIN, PATH } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { Terminal } from './terminal.ts';
import { recordOf } from './transfer.ts';

const project = new CliProject({ 'a.txt': 'one\n' });
const at = (name: string): string => join(project.scratch, name);
const file = at('session.savepoint');

beforeAll(async () => {
  await project.agentWrites('m1', 'a.txt', 'two\n');
  expect((await project.run(['export', file])).code).toBe(0);
});
afterAll(() => project.remove());

/** Another project of the same user, at another place. */
function clone(name: string): string {
  mkdirSync(at(name));
  copyFileSync(project.path('a.txt'), join(at(name), 'a.txt'));
  return at(name);
}

describe('savepoint import', () => {
  it('shows its help', async () => {
    const { out } = await project.run(['import', '--help']);
    expect(out).toMatchInlineSnapshot(`
      "usage: savepoint import FILE [options]

      Adds what \`savepoint export\` wrote, here or on another machine, to the timeline of this project. The
      file is trusted in nothing: it is checked to its last byte before anything is written. No file of
      the project is touched, and \`undo\` never means what came with an import; a rewind to one of its
      checkpoints works where the files are as the session left them, and otherwise merges or leaves a
      conflict as usual. Sessions that are here already, and the same, stay as they are.

      options:
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint import bug.savepoint                      then: savepoint list
        savepoint import bug.savepoint --project ~/src/app  into another project
      "
    `);
  });

  it('begins a timeline at a terminal, and says how to go on', async () => {
    const cwd = clone('first');
    const terminal = new Terminal([MAIN, 'import', file], { cwd, env: project.env() });
    try {
      expect(await terminal.exit()).toBe(0);
      expect(terminal.screen()).toBe(
        'Imported 1 session: 1 checkpoint, 1 change.\nhint: see it with: savepoint list; no file was touched',
      );
    } finally {
      await terminal.close();
    }
    expect((await project.run(['list'], { cwd })).out).toContain('message m1');
    expect((await project.run(['rewind', 'latest', '--yes'], { cwd })).code).toBe(0);
    expect((await project.run(['diff', 'latest'], { cwd })).out).toBe('No differences.\n');
  });

  it('tells programs what came, and ends with 5 when all of it is here already', async () => {
    const cwd = clone('second');
    const came = await project.run(['import', file, '--json'], { cwd });
    expect(came.code).toBe(0);
    expectSchema('import', came.out);
    expect(JSON.parse(came.out)).toMatchObject({ imported: true, checkpoints: 1, changes: 1 });
    const again = await project.run(['import', file, '--json'], { cwd });
    expect(again.code).toBe(5);
    expectSchema('import', again.out);
    expect(JSON.parse(again.out)).toMatchObject({ imported: false });
    const own = await project.run(['import', file, '--quiet']);
    expect(own).toEqual({ code: 5, out: 'Nothing to do: all of it is here already.\n', err: '' });
  });

  it('brings in the other sessions of a file, and names those that are here', async () => {
    const cwd = clone('several');
    await project.run(['import', file], { cwd });
    await project.agent({
      message: 'o1',
      session: 'other',
      paths: ['c.txt'],
      work: () => project.write('c.txt', 'c\n'),
    });
    const all = at('all.savepoint');
    await project.run(['export', all, '--all']);
    const { code, out } = await project.run(['import', all], { cwd });
    expect(code).toBe(0);
    expect(out).toBe(
      'Imported 1 session: 1 checkpoint, 1 change. Here already, and left as it is: s1.\n',
    );
  });

  it('begins no timeline for a file that is not sound', async () => {
    const cwd = clone('third');
    const cut = at('cut.savepoint');
    copyFileSync(file, cut);
    truncateSync(cut, 200);
    const { code, out } = await project.run(['import', cut, '--json'], { cwd });
    expect(code).toBe(1);
    expectSchema('error', out);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'export-invalid' } });
    expect(existsSync(storeDirectory(project.home, cwd))).toBe(false);
  });

  it('refuses standard streams in words, and takes a file that is called so', async () => {
    expect(await project.run(['import', '-'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('an import is not read from standard input\nhint: save it to'),
    });
    expect(await project.run(['export', '-'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('an export is not written to standard output\nhint: write it'),
    });
    expect(existsSync(project.path('-'))).toBe(false);
    expect((await project.run(['export', './-'])).code).toBe(0);
    expect((await project.run(['import', './-'])).code).toBe(5);
    rmSync(project.path('-'));
  });

  it('takes only a plain file, and waits for nothing', async () => {
    symlinkSync(file, at('link.savepoint'));
    const fifo = spawn('mkfifo', [at('fifo')], { env: { PATH } });
    await new Promise((resolve) => fifo.once('close', resolve));
    for (const name of ['link.savepoint', 'fifo', 'project']) {
      const { code, value } = await project.json(['import', at(name)]);
      expect({ code, value }).toMatchObject({
        code: 1,
        value: { error: { code: 'export-invalid' } },
      });
    }
    const missing = await project.json(['import', at('nowhere')]);
    expect(missing).toMatchObject({ code: 4, value: { error: { code: 'file-missing' } } });
    expect((await project.run(['import'])).code).toBe(2);
  });
});

describe('a process that is killed or interrupted', () => {
  const large = new CliProject();
  const target = join(large.scratch, 'large.savepoint');
  afterAll(() => large.remove());
  beforeAll(async () => {
    const names = ['x', 'y', 'z'];
    await large.agent({
      message: 'm1',
      paths: names,
      work: () => {
        for (const name of names) writeFileSync(large.path(name), randomBytes(9_000_000));
      },
    });
  });

  /** Sends a signal at the moment that `isAt` tells, and says how the command ended. */
  async function signalled(
    args: string[],
    {
      cwd = large.root,
      signal,
      isAt,
    }: { cwd?: string; signal: NodeJS.Signals; isAt: () => boolean },
  ): Promise<{ code: number | null; signal: string | null; err: string }> {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: large.env(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.once('close', (code, by) => resolve({ code, signal: by }));
    });
    while (child.exitCode === null && !isAt())
      await new Promise((resolve) => setTimeout(resolve, 2));
    child.kill(signal);
    return { ...(await ended), err };
  }

  it('in the middle of an export leaves no file of that name', async () => {
    const parts = (): string[] =>
      readdirSync(large.scratch).filter((name) => name.endsWith('.tmp'));
    const isWriting = (): boolean => parts().length > 0;
    const killed = { signal: 'SIGKILL', isAt: isWriting } as const;
    expect((await signalled(['export', target], killed)).signal).toBe('SIGKILL');
    expect(existsSync(target)).toBe(false);
    rmSync(join(large.scratch, parts()[0] ?? 'none'));
    const interrupted = { signal: 'SIGINT', isAt: isWriting } as const;
    expect(await signalled(['export', target], interrupted)).toEqual({
      code: null,
      signal: 'SIGINT',
      err: '\nsavepoint: interrupted; nothing was written\n',
    });
    expect(parts()).toEqual([]);
    expect(existsSync(target)).toBe(false);
    expect((await large.run(['export', target])).code).toBe(0);
  });

  it('in the middle of an import leaves the timeline as it was, and the next one brings all of it', async () => {
    const cwd = join(large.scratch, 'elsewhere');
    mkdirSync(cwd);
    const record = async (): Promise<unknown> => {
      const savepoint = await openSavepoint({ project: cwd, home: large.home, scan: true });
      try {
        await savepoint.scan();
        const { packedBytes: _left, ...stats } = await savepoint.stats();
        return { ...((await recordOf(savepoint)) as object), stats };
      } finally {
        await savepoint.close();
      }
    };
    writeFileSync(join(cwd, 'own'), 'own');
    const before = await record();
    const packs = join(storeDirectory(large.home, cwd), 'packs');
    const known = readdirSync(packs).length;
    const isCopying = (): boolean => readdirSync(packs).length > known;
    const killed = { cwd, signal: 'SIGKILL', isAt: isCopying } as const;
    expect((await signalled(['import', target], killed)).signal).toBe('SIGKILL');
    expect(await record()).toEqual(before);
    const { code, out } = await large.run(['import', target, '--json'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ imported: true, changes: 3, blobs: 3 });
  });
});
