import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
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
  expect(out).toMatch(new RegExp(`^maxFileSize +20971520 +user +${userFile}$`, 'm'));
  expect(out).toMatch(/^exclude +\*\.pem +user .*\n +\.env +project .*savepoint\.config\.json$/m);
  expect(out).toMatch(/^maxStoreBytes +10737418240 +default$/m);
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
    "usage: savepoint config [KEY] [options]

    Shows what counts for a project, and whether it comes from the environment, from the project
    (savepoint.config.json, or the key "savepoint" of package.json), from your own file
    (~/.config/savepoint/config.json) or is the default. A file in the project may have more kept, never
    less, and can name no program. With KEY, the value of that setting alone.

    options:
      --project DIR  the project; by default the one around the current folder
      --json         print JSON for programs, and nothing else, on standard output
      --quiet        print results and problems, no remarks and no hints
      --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
      --help         show this help

    examples:
      savepoint config                      all settings
      savepoint config maxFileSize          one value, for a script
      SAVEPOINT_SCAN=true savepoint config  what a variable would change
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
