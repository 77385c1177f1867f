import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { COMMANDS as COMMAND_TABLE } from '../../src/cli/command-table.ts';
import { numberFrom } from '../crash/campaign.ts';
import { builtProgram } from '../setup/built.ts';
import { ChildScript } from '../setup/child-script.ts';
import { CliProject, runNode } from './cli-project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin', 'savepoint.cjs');

// `npm run test:campaigns` runs 300.
const COMMANDS = numberFrom('SAVEPOINT_RUNTIME_COMMANDS', 4);
const CAMPAIGN_LIMIT_MS = 3_600_000;
/** A command takes less than a second. */
const HANGS = { timeout: 60_000, killSignal: 'SIGKILL' } as const;

const WRITER = `
  const [, index, project, home, name] = process.argv;
  const { openSavepoint } = await import(index);
  const savepoint = await openSavepoint({ project, home });
  const storage = await savepoint.storage();
  for (let n = 0; ; n += 1) {
    const rows = Array.from({ length: 200 }, (_, row) => ({ row, text: 'n' + (row % 7 === n % 7 ? n % 60 : 0) }));
    await storage.save('state', name + (n % 20), { n: n % 60, rows });
    if (n === 0) console.log('busy');
    await new Promise((resolve) => setImmediate(resolve));
  }
`;

describe('bin/savepoint.cjs', () => {
  const project = new CliProject({ 'a.txt': 'old\n' });
  afterAll(() => project.remove());

  // What is kept of compiling lies in the home directory.
  const env = project.env({ XDG_CACHE_HOME: '' });
  const run = (args: readonly string[]) => runNode(args, { cwd: project.root, env });

  it.each(['20.20.2', '22.18.0', '23.11.0', '24.5.0'])(
    'tells Node %s in one line that it is too old',
    async (version) => {
      const fake = join(project.scratch, `node-${version}.cjs`);
      writeFileSync(
        fake,
        `Object.defineProperty(process, 'version', { value: 'v${version}' });
       Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
      );
      const { code, out, err } = await run(['--require', fake, BIN, 'list']);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toBe(
        `savepoint: needs Node 22.19 or newer (of Node 24: 24.6), this is v${version}\n`,
      );
    },
  );

  it('says its version under the name of the agent, too', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const { code, out } = await run([join(ROOT, 'bin', 'claude-replica.cjs'), '--version']);
    expect({ code, out }).toEqual({ code: 0, out: `${version}\n` });
  });

  describe('in a checkout that was not built', () => {
    const checkout = join(project.scratch, 'checkout');
    const bin = join(checkout, 'bin', 'savepoint.cjs');

    beforeAll(() => {
      mkdirSync(join(checkout, 'bin'), { recursive: true });
      copyFileSync(BIN, bin);
      copyFileSync(join(ROOT, 'package.json'), join(checkout, 'package.json'));
    });

    it('runs the sources', async () => {
      symlinkSync(join(ROOT, 'src'), join(checkout, 'src'));
      // Whatever comes of this test, the next one must not write through the link.
      onTestFinished(() => rmSync(join(checkout, 'src')));
      expect(await run([bin, '--version'])).toMatchObject({
        code: 0,
        out: `${manifest.version}\n`,
      });
      expect(await run([bin, 'list'])).toMatchObject({
        code: 0,
        out: expect.stringContaining(`nothing is recorded in ${project.root} yet`),
      });
    });

    it('says how to repair it when they are not whole', async () => {
      mkdirSync(join(checkout, 'src', 'cli'), { recursive: true });
      writeFileSync(join(checkout, 'src', 'cli', 'main.ts'), "import './nowhere.ts';\n");
      const { code, err } = await run([bin, 'list']);
      expect(code).toBe(1);
      expect(err).toMatch(/^savepoint: [^\n]+\nhint: npm install && npm run build\n$/);
    });
  });

  describe('after a build', () => {
    const built = join(project.scratch, 'package');
    const bin = join(built, 'bin', 'savepoint.cjs');

    beforeAll(async () => {
      mkdirSync(join(built, 'bin'), { recursive: true });
      copyFileSync(BIN, bin);
      copyFileSync(join(ROOT, 'bin', 'load-compiled.cjs'), join(built, 'bin', 'load-compiled.cjs'));
      copyFileSync(join(ROOT, 'package.json'), join(built, 'package.json'));
    });

    it('says so when the build is not there', async () => {
      const { code, err } = await run([bin, 'list']);
      expect(code).toBe(1);
      expect(err).toMatch(
        /^savepoint: the installation is damaged: [^\n]+\nhint: install savepoint again\n$/,
      );
    });

    it('runs the commands, through a link as npm makes it', async () => {
      cpSync(join(inject('built'), 'dist', 'cli'), join(built, 'dist', 'cli'), { recursive: true });
      const link = join(project.scratch, 'savepoint');
      symlinkSync(bin, link);
      expect(await run([link, '--version'])).toEqual({
        code: 0,
        out: `${manifest.version}\n`,
        err: '',
      });
      await project.agentWrites('m1', 'a.txt', 'new\n');
      const rewind = await run([link, 'rewind', 'latest']);
      expect(rewind).toMatchObject({ code: 0, out: expect.stringContaining('Done: 1 restored.') });
      expect(project.read('a.txt')).toBe('old\n');
      expect((await run([link, 'nonsense'])).code).toBe(2);
      // The help is made of all commands, so that each of them is loaded.
      const help = await run([link, '--help']);
      expect(help).toMatchObject({ code: 0, err: '' });
      for (const verb of Object.keys(COMMAND_TABLE)) {
        expect(help.out).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
      }
    });

    describe('keeps what V8 compiled', () => {
      const base = join(project.scratch, 'user', '.cache', 'savepoint', 'compiled');
      const kept = () => join(base, readdirSync(base)[0] ?? '', 'list-json');

      it('of commands, each by itself, and takes it again', async () => {
        expect((await run([bin, 'list', '--help'])).code).toBe(0);
        const first = await run([bin, 'list', '--json']);
        expect(first.code).toBe(0);
        const { ino, mode } = statSync(kept());
        expect(mode & 0o777).toBe(0o600);
        expect(await run([bin, 'list', '--json'])).toEqual(first);
        expect(statSync(kept()).ino).toBe(ino);
        expect(readdirSync(join(kept(), '..')).sort()).toEqual(['_other', 'list-json', 'rewind']);
      });

      it.each([
        ['was cut off', (file: string) => truncateSync(file, 1_000)],
        ['is something else', (file: string) => writeFileSync(file, 'x'.repeat(5_000))],
        ['others may write to', (file: string) => chmodSync(file, 0o666)],
        ['is of another Node', (file: string) => writeFileSync(file, flipped(readFileSync(file)))],
      ])('and makes it anew where the file %s', async (_, spoil) => {
        const first = await run([bin, 'list', '--json']);
        const { ino } = statSync(kept());
        spoil(kept());
        expect(await run([bin, 'list', '--json'])).toEqual(first);
        expect(statSync(kept()).ino).not.toBe(ino);
        expect(statSync(kept()).mode & 0o777).toBe(0o600);
      });

      it('and works as well where nothing can be kept', async () => {
        rmSync(base, { recursive: true });
        writeFileSync(base, '');
        expect((await run([bin, 'list'])).code).toBe(0);
        rmSync(base);
      });
    });

    it('has written all of a long answer when it ends', async () => {
      const lines = Array.from({ length: 50_000 }, (_, n) => `line ${n}\n`).join('');
      const id = await project.agentWrites('m9', 'long.txt', lines);
      const { code, out, err } = await run([bin, 'diff', id]);
      expect(code).toBe(0);
      expect(out).toContain('+line 0\n');
      expect(out).toMatch(/\n\+line 49999\n1 path changed, [^\n]+\n$/);
      expect(err).toBe('');
    });

    it('ends by having nothing left to do', async () => {
      const told = join(project.scratch, 'exits.cjs');
      writeFileSync(told, `process.reallyExit = () => require('node:fs').writeSync(2, 'forced');`);
      expect(await run(['--require', told, bin, 'list', '--json'])).toMatchObject({ err: '' });
    });

    it(
      `ends, ${COMMANDS} times, while two other processes write documents`,
      async () => {
        const storage = builtProgram('src/index.ts');
        const writers = ['a', 'b'].map(
          (name) => new ChildScript(WRITER, storage, project.root, project.home, name),
        );
        onTestFinished(async () => {
          for (const writer of writers) await writer.kill();
        });
        for (const writer of writers) await writer.says('busy');
        const options = { cwd: project.root, env: project.env(), ...HANGS };
        for (let n = 0; n < COMMANDS; n += 1) {
          const verb = ['fsck', 'list', 'status'][n % 3] ?? '';
          const { code, err } = await runNode([bin, verb, '--json'], options);
          // Killed by the limit, or by V8 itself.
          expect({ n, verb, err, died: code === null || code >= 128 }).toMatchObject({
            died: false,
          });
        }
      },
      CAMPAIGN_LIMIT_MS,
    );

    it('is plain ASCII, as it is loaded', () => {
      const names = readdirSync(join(built, 'dist', 'cli')).filter((name) => name.endsWith('.js'));
      expect(names.length).toBeGreaterThan(20);
      for (const name of names) {
        expect(readFileSync(join(built, 'dist', 'cli', name), 'utf8')).toMatch(/^[\x00-\x7f]*$/);
      }
    });

    it('loads only those modules of Node that a command uses', async () => {
      const told = join(project.scratch, 'told.cjs');
      writeFileSync(
        told,
        `process.on('exit', () => require('node:fs').writeSync(2, process.moduleLoadList.join()));`,
      );
      const { code, err } = await run(['--require', told, bin, 'list']);
      const loaded = err.split(',').filter((name) => name.startsWith('NativeModule '));
      expect(code).toBe(0);
      expect(loaded).toContain('NativeModule sqlite');
      for (const name of ['child_process', 'fs/promises', 'readline', 'worker_threads', 'zlib']) {
        expect(loaded).not.toContain(`NativeModule ${name}`);
      }
    });
  });
});

/** With another version in what V8 made of the first file. */
function flipped(bytes: Buffer): Buffer {
  const start = bytes.indexOf('\n', bytes.indexOf('\n') + 1) + 1;
  bytes.writeUInt8(bytes.readUInt8(start + 4) ^ 0xff, start + 4);
  return bytes;
}
