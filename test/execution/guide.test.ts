import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const GUIDE = readFileSync(new URL('../../docs/executions.md', import.meta.url), 'utf8');

/** The examples by the names that they begin with. */
const EXAMPLES = new Map(
  [...GUIDE.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, name = '', code = '']) => [
    name,
    code,
  ]),
);

interface Shown {
  /** With variables before it, as a shell takes them. */
  readonly command: string;
  readonly output: string;
}

/** What the guide says that each command prints. */
const SHOWN: readonly Shown[] = [...GUIDE.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(
  ([, text = '']) =>
    text
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...lines] = part.split('\n');
        return { command, output: lines.join('\n') };
      }),
);

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'savepoint-guide-'));
  mkdirSync(join(scratch, 'project'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** As whoever installed the package would run it. */
function run({ command }: Shown): string {
  const [, variable, name = ''] = /^(?:(\w+)=1 )?node (\S+)$/.exec(command) ?? [];
  const file = join(scratch, name);
  writeFileSync(file, fromSources(EXAMPLES.get(name) ?? ''));
  const env = { PATH: process.env.PATH, HOME: scratch, ...(variable ? { [variable]: '1' } : {}) };
  const args = [file, join(scratch, 'project'), join(scratch, 'home')];
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

/** The package's own names lead to the sources. */
function fromSources(code: string): string {
  const at = (path: string): string => new URL(`../../src/${path}`, import.meta.url).href;
  return code
    .replaceAll("from 'savepoint'", `from '${at('index.ts')}'`)
    .replaceAll("from 'savepoint/execution'", `from '${at('execution/index.ts')}'`);
}

describe('docs/executions.md', () => {
  it.each([...EXAMPLES.keys()])('prints what it says that %s prints', (name) => {
    const shown = SHOWN.filter(({ command }) => command.endsWith(` ${name}`));
    expect(shown.length).toBeGreaterThan(0);
    for (const one of shown) expect(run(one)).toBe(one.output);
  });

  it('leads to documents that are there', () => {
    const links = [...GUIDE.matchAll(/\]\((\w[\w-]*\.md)#?([\w-]*)\)/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [, file = '', heading = ''] of links) {
      const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title.toLowerCase().replaceAll(' ', '-'),
      );
      expect(heading === '' || headings.includes(heading), `${file}#${heading}`).toBe(true);
    }
  });
});
