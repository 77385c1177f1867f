import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

const project = new CliProject({
  'savepoint.config.json': '{ "exclude": [".env"], "maxStoreBytes": 5, "exlude": [] }',
});
const userFile = join(project.scratch, 'user/.config/savepoint/config.json');
mkdirSync(dirname(userFile), { recursive: true });
writeFileSync(userFile, '{ "maxFileSize": "20 MiB", "exclude": ["*.pem"] }');
afterAll(() => project.remove());

it('shows each value with its origin, and warns of what does not count', async () => {
  const { code, out, err } = await project.run(['config']);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^maxFileSize +20 MiB +user +${userFile}$`, 'm'));
  expect(out).toMatch(/^exclude +\*\.pem +user .*\n +\.env +project .*savepoint\.config\.json$/m);
  expect(out).toMatch(/^maxStoreBytes +10 GiB +default$/m);
  expect(err).toContain('"maxStoreBytes" is for your own file');
  expect(err).toContain('no setting is called "exlude"');
});

it('gives one value to a script', async () => {
  const env = { SAVEPOINT_MAX_ENTRIES: '7' };
  expect(await project.run(['config', 'maxEntries', '--quiet'], { env })).toEqual({
    code: 0,
    out: '7\n',
    err: '',
  });
  expect((await project.run(['config', 'nothing'])).code).toBe(2);
});

describe('a size', () => {
  it('is printed with its unit where that says it exactly, and JSON has the bytes', async () => {
    for (const [bytes, text] of [
      ['10485760', '10 MiB'],
      ['1536', '1536'],
      ['500 MB', '500 MB'],
      ['2048', '2 KiB'],
      ['0', '0'],
    ] as const) {
      const env = { SAVEPOINT_MAX_FILE_SIZE: bytes };
      expect((await project.run(['config', 'maxFileSize'], { env })).out).toBe(`${text}\n`);
      // What is printed can be typed.
      const again = { SAVEPOINT_MAX_FILE_SIZE: text };
      expect((await project.run(['config', 'maxFileSize'], { env: again })).out).toBe(`${text}\n`);
    }
    const { value } = await project.json(['config', 'maxFileSize']);
    expect(value.value).toBe(20 * 1024 ** 2);
  });
});

describe('KEY VALUE', () => {
  let own: CliProject;
  let file: string;
  const text = (): string => readFileSync(file, 'utf8');
  beforeEach(() => {
    own = new CliProject({ 'a.txt': 'one\n' });
    file = join(own.scratch, 'user/.config/savepoint/config.json');
  });
  afterEach(() => own.remove());

  it("sets a value in the user's own file, which it makes for the user alone", async () => {
    const { code, out } = await own.run(['config', 'maxFileSize', '10 KiB']);
    expect({ code, out }).toEqual({
      code: 0,
      out: `Done: maxFileSize is set in ${file}.\nWhat counts here is 10 KiB, from ${file}.\n`,
    });
    expect(text()).toBe('{\n  "maxFileSize": "10 KiB"\n}\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await own.run(['config', 'maxFileSize'])).out).toBe('10 KiB\n');
    expect((await own.run(['config', 'maxFileSize', '10 KiB'])).code).toBe(5);
  });

  it('keeps other keys, their order, the indent and the mode, and goes through a link', async () => {
    const elsewhere = join(own.scratch, 'dotfiles.json');
    writeFileSync(elsewhere, '{\n\t"later": 1,\n\t"scan": false,\n\t"exclude": ["*.pem"]\n}', {
      mode: 0o640,
    });
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(elsewhere, file);
    expect((await own.run(['config', 'scan', 'true'])).code).toBe(0);
    expect((await own.run(['config', 'exclude', '.env:*.key', '--json'])).code).toBe(0);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(elsewhere).mode & 0o777).toBe(0o640);
    expect(text()).toBe(
      '{\n\t"later": 1,\n\t"scan": true,\n\t"exclude": [\n\t\t".env",\n\t\t"*.key"\n\t]\n}\n',
    );
    expect((await own.run(['config', 'exclude', '--unset'])).code).toBe(0);
    expect(JSON.parse(text())).toEqual({ later: 1, scan: true });
    expect((await own.run(['config', 'exclude', '--unset'])).code).toBe(5);
  });

  it('writes nothing for a value of another kind, a key that is none, or a broken file', async () => {
    const wrong = await own.run(['config', 'maxFileSize', 'much']);
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining('such as 1048576 or "10 MiB"'),
    });
    const misspelt = await own.run(['config', 'maxFilesize', '1']);
    expect(misspelt).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean: maxFileSize'),
    });
    expect(existsSync(file)).toBe(false);
    mkdirSync(dirname(file), { recursive: true });
    for (const broken of ['{ "scan": ', '[]', '{ "maxEntries": -1 }']) {
      writeFileSync(file, broken);
      expect((await own.run(['config', 'scan', 'true'])).code).toBe(1);
      expect(text()).toBe(broken);
    }
    rmSync(file);
    symlinkSync(join(own.scratch, 'nowhere'), file);
    expect((await own.run(['config', 'scan', 'true'])).code).toBe(1);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it('says where savepoint mcp looks for the permission that no variable may move', async () => {
    const { out } = await own.run(['config', 'mcpRewind', 'true']);
    const place = join(userInfo().homedir, '.config/savepoint/config.json');
    expect(out).toContain(`savepoint mcp reads it only in ${place}.`);
  });

  it('says what counts where the environment says otherwise, and mends a wrong value', async () => {
    const env = { SAVEPOINT_SCAN: 'false' };
    const { code, out } = await own.run(['config', 'scan', 'true'], { env });
    expect(code).toBe(0);
    expect(out).toContain('What counts here is false, from SAVEPOINT_SCAN.');
    writeFileSync(file, '{ "scan": "perhaps" }');
    expect((await own.run(['config', 'scan', 'true'])).code).toBe(0);
    expect((await own.run(['config', 'scan'])).out).toBe('true\n');
  });
});

it('prints JSON as the published schema says', async () => {
  const all = await project.run(['config', '--json']);
  expectSchema('config', all.out);
  const one = await project.run(['config', '--json', 'exclude']);
  expectSchema('config', one.out);
  expect(JSON.parse(one.out)).toMatchObject({ value: ['*.pem', '.env'] });
});

it('fails for a broken file of the user, and for one of the project after all it can show', async () => {
  const env = { SAVEPOINT_SCAN: 'maybe' };
  const { code, out } = await project.run(['config', '--json'], { env });
  expect(code).toBe(1);
  expectSchema('error', out);
  const broken = new CliProject({ 'savepoint.config.json': '{' });
  const shown = await broken.run(['config', '--json']);
  expect(shown.code).toBe(1);
  expectSchema('config', shown.out);
  broken.remove();
});

it('fits a terminal', async () => {
  const { code, rows, raw } = await project.see(['config'], { columns: 120 });
  expect(code).toBe(0);
  expect(rows).toContainEqual(expect.stringMatching(/^retentionDays +7 +default$/));
  expect(raw).toContain('\x1b[2mdefault');
});

it('explains itself', async () => {
  const { out } = await project.run(['config', '--help']);
  expect(out).toMatchInlineSnapshot(`
    "usage: savepoint config [KEY [VALUE]] [options]

    Shows what counts for a project, and whether it comes from the environment, from the project
    (savepoint.config.json, or the key "savepoint" of package.json), from your own file
    (~/.config/savepoint/config.json) or is the default. A file in the project may have more kept, never
    less, and can name no program. With KEY, the value of that setting alone; with a VALUE too, it is
    set in your own file. Sizes have a unit (10 MiB), and patterns of a list are separated by ":".

    options:
      --unset        take the setting out of your own file
      --project DIR  the project; by default the one around the current folder
      --json         print JSON for programs, and nothing else, on standard output
      --quiet        print results and problems, no remarks and no hints
      --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
      --help         show this help

    examples:
      savepoint config                       all settings
      savepoint config maxFileSize           one value, for a script
      savepoint config maxFileSize '20 MiB'  set it for all your projects
      savepoint config maxFileSize --unset   back to the default
      SAVEPOINT_SCAN=true savepoint config   what a variable would change
    "
  `);
});

it('counts for what is recorded: nothing of an excluded file is', async () => {
  const run = ['run', '--', 'sh', '-c', 'echo dummy > .env; echo x > a.txt'];
  expect((await project.run(run)).code).toBe(0);
  const { value } = await project.json(['status']);
  expect(value.worktree).toMatchObject({ unrecorded: [{ path: '.env', reason: 'excluded' }] });
  const { out } = await project.run(['undo']);
  expect(out).toContain('.env');
  expect(project.read('a.txt')).toBeNull();
  expect(project.read('.env')).toBe('dummy\n');
});

it('does not stop a rewind when the agent broke package.json, but does stop a recording', async () => {
  const broken = new CliProject({ 'package.json': '{}', 'a.txt': 'old\n' });
  await broken.agentWrites('m1', 'a.txt', 'new\n');
  broken.write('package.json', '{ broken');
  expect(await broken.run(['run', '--', 'true'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('package.json is not JSON'),
  });
  const { code, err } = await broken.run(['rewind', 'latest']);
  expect(code).toBe(0);
  expect(err).toContain('package.json is not JSON');
  expect(broken.read('a.txt')).toBe('old\n');
  broken.remove();
});
