import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seedSections } from './seeds-table.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const document = read('docs/seeds.md');
const sections = seedSections(document);
const rows = sections.flatMap((section) => section.rows);
const tests = rows.flatMap((row) => row.tests);

describe('the table of requirements', () => {
  it('has a section for each of the documents, none of them empty', () => {
    expect(sections.map(({ title }) => title.slice(0, 3))).toEqual([
      '000',
      '001',
      '002',
      '003',
      '004',
    ]);
    for (const section of sections) expect(section.rows.length).toBeGreaterThan(5);
  });

  it('has code and a test in each row', () => {
    const bare = rows.filter(({ code, tests }) => code.length === 0 || tests.length === 0);
    expect(bare.map(({ requirement }) => requirement)).toEqual([]);
  });

  it('names only files that are there', () => {
    const named = [...rows.flatMap(({ code }) => code), ...tests.map(({ file }) => file)];
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('names only tests that are in their files', () => {
    const gone = tests.filter(({ file, title }) => !titlesIn(read(file)).some(beginsWith(title)));
    expect(gone).toEqual([]);
  });

  it('names every scenario that is a test', () => {
    const files = ['src/**/*.test.ts', 'test/**/*.test.ts'].flatMap((glob) =>
      globSync(glob, { cwd: ROOT }),
    );
    const scenarios = files
      .flatMap((file) => titlesIn(read(file)))
      .filter(beginsWith('Scenario: '));
    // What follows a second colon says how, not which.
    const names = new Set(scenarios.map((title) => title.split(': ').slice(0, 2).join(': ')));
    expect(names.size).toBeGreaterThan(15);
    expect([...names].filter((name) => !document.includes(`"${name}"`))).toEqual([]);
  });
});

describe('what the documents ask of texts and sources', () => {
  it('tells users how the way back is opened, set, and turned off', () => {
    const guide = read('docs/claude-replica.md');
    for (const said of [
      'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1',
      'Esc Esc',
      'enableFileCheckpointing',
      'checkpointKeepCount',
      '~/.claude-replica/settings.json',
      '~/.claude-replica/sessions/ID/checkpoints/metadata.json',
    ]) {
      expect(guide).toContain(said);
    }
    const settings = read('docs/configuration.md');
    expect(settings).toMatch(/\| `enableFileCheckpointing` \| `true` \|/);
    expect(settings).toMatch(/\| `checkpointKeepCount` \| 10 \|/);
    expect(read('CHANGELOG.md')).toMatch(/Esc Esc|claude-replica/);
  });

  it('has nothing left of RewindManager', () => {
    const sources = globSync('{src,test}/**/*.ts', { cwd: ROOT });
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((file) => /RewindManager/i.test(file + read(file)))).toEqual([]);
  });
});

/** Titles of tests and of groups, as the source has them. */
function titlesIn(source: string): string[] {
  const title = /(?:\b(?:describe|it|test)(?:\.\w+)?\(|\)\()\s*(['"`])((?:(?!\1)[^\\\n]|\\.)+)\1/g;
  return [...source.matchAll(title)].map(([, , text = '']) => text.replaceAll("\\'", "'"));
}

function beginsWith(start: string): (text: string) => boolean {
  return (text) => text.startsWith(start);
}
