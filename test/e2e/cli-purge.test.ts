import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
let first: string;
beforeEach(async () => {
  project = new CliProject({ '.env': 'KEY=dummy\n', 'a.txt': 'old\n', 'deep/.env': 'KEY=other\n' });
  const paths = ['.env', 'a.txt', 'deep/.env'];
  first = await project.agent({
    message: 'm1',
    paths,
    work: () => {
      for (const path of paths) project.write(path, 'new\n');
    },
  });
});
afterEach(() => project.remove());

it('needs a yes where nobody can be asked, and removes nothing without one', async () => {
  const { code, err } = await project.run(['purge', '.env']);
  expect(code).toBe(2);
  expect(err).toContain('savepoint: a purge cannot be undone\nhint: look with --dry-run');
  const dry = await project.run(['purge', '.env', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('  .env\nDry run') });
  expect((await project.run(['rewind', first, '.env'])).code).toBe(0);
  expect(project.read('.env')).toBe('KEY=dummy\n');
});

it('removes a path, and a rewind then says that it was purged', async () => {
  const { code, out, err } = await project.run(['purge', '.env', '--yes']);
  expect(code).toBe(0);
  expect(out).toContain('Purged: what was recorded of 1 path is gone from the store.');
  expect(out).toContain('Still kept: the same bytes are on record under a.txt, deep/.env.');
  expect(out).toContain('Still in the project: .env.');
  expect(err).toContain('savepoint config exclude');
  const rewind = await project.run(['rewind', first]);
  expect(rewind.out).toMatch(/\.env +.*its recorded content was purged/);
  expect([project.read('.env'), project.read('a.txt')]).toEqual(['new\n', 'old\n']);
});

it('takes what names no path for a pattern, and prints JSON as the published schema says', async () => {
  const { code, out } = await project.run(['purge', '--json', '--yes', '**/.e?v']);
  expect(code).toBe(0);
  expectSchema('purge', out);
  expect(JSON.parse(out)).toMatchObject({ dryRun: false, paths: ['.env', 'deep/.env'] });
});

it('finds nothing of another name', async () => {
  const { code, out } = await project.run(['purge', '--json', '--yes', '*.pem']);
  expect(code).toBe(4);
  expectSchema('purge', out);
  expect((await project.run(['purge'])).code).toBe(2);
});

it('asks at a terminal, and takes a no for a no', async () => {
  for (const [answer, code] of [
    ['n', 130],
    ['y', 0],
  ] as const) {
    const seen = await project.see(['purge', '.env'], { answers: [answer] });
    expect(seen.code).toBe(code);
    expect(seen.raw).toContain('It cannot be undone. [y/N]');
    expect(seen.raw).toContain(code === 0 ? 'Purged:' : 'Nothing was removed.');
  }
});

it('explains itself', async () => {
  expect((await project.run(['purge', '--help'])).out).toMatchInlineSnapshot(`
    "usage: savepoint purge PATH|PATTERN... [options]

    Removes what was recorded of a file, a folder, or whatever fits a pattern as in .gitignore: from
    every checkpoint, and every byte of it from the store, free space included. Your files are not
    touched. A rewind leaves such a path as it is from then on. This cannot be undone, so it asks at a
    terminal and needs --yes elsewhere. Descriptions of messages are not searched, and git keeps its own
    history.

    options:
      --dry-run      show which paths it would be, and remove nothing
      --yes          do not ask
      --project DIR  the project; by default the one around the current folder
      --json         print JSON for programs, and nothing else, on standard output
      --quiet        print results and problems, no remarks and no hints
      --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
      --help         show this help

    examples:
      savepoint purge .env              a file that should never have been recorded
      savepoint purge '*.pem' secrets/  files of a kind wherever they are, and a folder
      savepoint purge .env --dry-run    only see what is on record
    "
  `);
});
