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
import { CliProject, MAIN, PATH, type Result, runNode } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
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
    const { code, rows } = await project.see(['import', file], { cwd });
    expect(code).toBe(0);
    expect(rows).toEqual([
      'Imported 1 session: 1 checkpoint, 1 change.',
      'hint: see it with: savepoint list; no file was touched',
    ]);
    const list = await project.run(['list'], { cwd });
    expect(list.out).toContain('(imported) message m1');
    expect(list.out).not.toContain('taken back');
    expect((await project.run(['sessions'], { cwd })).out).toMatch(/^\S+ +s1 +ended, /);
    const { out } = await project.run(['list', '--json'], { cwd });
    const { checkpoints } = JSON.parse(out) as { checkpoints: { id: string; imported: boolean }[] };
    expect(checkpoints).toMatchObject([{ imported: true }]);
    const id = checkpoints[0]?.id ?? '';
    expect((await project.run(['rewind', id, '--yes'], { cwd })).code).toBe(0);
    expect((await project.run(['diff', id], { cwd })).out).toBe('No differences.\n');
    expect((await project.run(['diff', 'latest'], { cwd })).err).toContain(
      'no checkpoint "latest"',
    );
  });

  it('leaves a label behind that a checkpoint here has, and says so', async () => {
    const labelled = at('labelled.savepoint');
    const [source, cwd] = [clone('labelled'), clone('labels')];
    for (const place of [source, cwd]) {
      expect((await project.run(['save', '-m', 'good'], { cwd: place })).code).toBe(0);
    }
    expect((await project.run(['export', labelled, '--all'], { cwd: source })).code).toBe(0);
    const { out } = await project.run(['import', labelled], { cwd });
    expect(out).toContain('Without this label, which means something else here: "good".');
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
        for (const name of names) writeFileSync(large.path(name), randomBytes(2_000_000));
      },
    });
  });

  interface Moment {
    readonly cwd?: string;
    readonly signal: 'SIGKILL' | 'SIGINT';
    /** The signal comes when this folder has more entries than at the start; without one, at the third write. */
    readonly folder?: string;
  }

  /** A program that sends itself a signal at that moment, and says how it ended. */
  function signalled(
    args: string[],
    { cwd = large.root, signal, folder }: Moment,
  ): Promise<Result> {
    const preload = join(large.scratch, 'signal.mjs');
    const names = JSON.stringify(folder);
    const isMoment =
      folder === undefined
        ? "name === 'writeSync' && (writes += 1) === 3"
        : `fs.readdirSync(${names}).length > ${readdirSync(folder).length}`;
    writeFileSync(
      preload,
      `import fs from 'node:fs';
       import { syncBuiltinESMExports } from 'node:module';
       let isSent = false;
       let writes = 0;
       for (const name of ['openSync', 'write', 'writeSync', 'writev', 'writevSync']) {
         const real = fs[name];
         fs[name] = (...args) => {
           if (!isSent && ${isMoment}) {
             isSent = true;
             process.kill(process.pid, '${signal}');
             // Long enough for the command to let the event loop turn at its next step.
             Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
           }
           return real(...args);
         };
       }
       syncBuiltinESMExports();`,
    );
    const options = { cwd, env: large.env() };
    return runNode(['--import', preload, MAIN, ...args], options).finally(() => rmSync(preload));
  }

  it('in the middle of an export leaves nothing of the file', async () => {
    const before = readdirSync(large.scratch);
    expect((await signalled(['export', target], { signal: 'SIGKILL' })).code).toBe(137);
    expect(readdirSync(large.scratch)).toEqual(before);
    expect(await signalled(['export', target], { signal: 'SIGINT' })).toEqual({
      code: 130,
      out: '',
      err: '\nsavepoint: interrupted; nothing was written\n',
    });
    expect(readdirSync(large.scratch)).toEqual(before);
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
    const killed = { cwd, signal: 'SIGKILL', folder: packs } as const;
    expect((await signalled(['import', target], killed)).code).toBe(137);
    expect(await record()).toEqual(before);
    const { code, out } = await large.run(['import', target, '--json'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ imported: true, changes: 3, blobs: 3 });
  });
});
