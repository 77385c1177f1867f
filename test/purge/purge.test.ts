import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Savepoint } from '../../src/index.ts';
import { MARKERS, PlantedProject, SHARED, unreadable } from './planted-project.ts';
import { type Finding, search, storeFolder } from './store-search.ts';

const SECRETS = Object.values(MARKERS);
const PURGE = { patterns: ['keys/'] };
let template: PlantedProject;
let project: PlantedProject;
let savepoint: Savepoint;

beforeAll(async () => {
  template = await PlantedProject.plant();
});
afterAll(() => template.remove());

beforeEach(async () => {
  project = await template.copy();
  savepoint = await project.open();
});
afterEach(async () => {
  await savepoint.close();
  project.remove();
});

function found(texts: readonly string[] = SECRETS): Map<string, Set<Finding>> {
  return search(storeFolder(project.home), texts, project.contents);
}

function findings(): Finding[] {
  return [...found().values()].flatMap((places) => [...places]);
}

describe('a purge', () => {
  it('leaves no byte of a secret in any frame, delta, page, free page or log', async () => {
    const before = found();
    for (const [secret, places] of before) expect([secret, places.size]).not.toEqual([secret, 0]);
    const kinds = new Set(findings().map((finding) => finding.replace(/^.*: /, '')));
    expect(kinds).toEqual(new Set(['raw', 'frame', 'delta', 'deflated']));
    const folders = new Set(findings().map((finding) => finding.split(/[/:]/, 1)[0]));
    expect([...folders].sort()).toEqual(
      expect.arrayContaining(['arrivals', 'blobs', 'git', 'packs', 'store.db']),
    );

    const report = await savepoint.purge(PURGE);
    expect(report.paths).toContain('keys/git.txt');
    expect(findings()).toEqual([]);
    await savepoint.close();
    expect(findings()).toEqual([]);
    savepoint = await project.open();
  });

  it('keeps the same bytes under a path that is not purged, and says so', async () => {
    const { alsoAt } = await savepoint.purge(PURGE);
    expect(alsoAt).toEqual(['copy.txt', 'plain/leaning.txt']);
    expect(found([SHARED]).get(SHARED)?.size).toBeGreaterThan(0);
    await savepoint.purge({ patterns: ['copy.txt'] });
    expect(found([SHARED]).get(SHARED)?.size).toBe(0);
  });

  it('keeps everything else: other paths can be rewound and written out', async () => {
    await savepoint.purge(PURGE);
    expect(await unreadable(savepoint)).toEqual([]);
    const [first] = await savepoint.list({ messageId: 'm1' });
    const directory = join(project.base, 'written');
    const { skipped } = await savepoint.materialize(first?.id ?? '', directory);
    expect(skipped.every(({ path }) => path.startsWith('keys'))).toBe(true);
    const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
    expect(read('plain/git.txt')).toMatch(/^nothing to hide\n[\s\S]*nothing to hide\n$/);
    expect(read('plain/untracked.txt')).toContain('nothing to see');

    const receipt = await savepoint.rewind({ to: first?.id ?? '' });
    expect(receipt.errors).toEqual([]);
    expect(receipt.restoredFiles).toEqual(['plain/git.txt']);
    expect(receipt.deletedFiles).toEqual(
      expect.arrayContaining(['copy.txt', 'plain/leaning.txt', 'plain/large.bin']),
    );
  });

  it('makes rewinds leave the path as it is, whatever is asked, and tell why', async () => {
    const { stillThere } = await savepoint.purge(PURGE);
    expect(stillThere).toContain('keys/small.txt');
    const before = readFileSync(join(project.root, 'keys/small.txt'), 'utf8');
    const [first] = await savepoint.list({ messageId: 'm1' });
    for (const take of ['since', 'exact'] as const) {
      const plan = await savepoint.planRewind({ to: first?.id ?? '', take, onConflict: 'restore' });
      const lines = plan.lines.filter(({ path }) => path.startsWith('keys/'));
      expect(lines.length).toBeGreaterThan(0);
      for (const { action, reason } of lines) {
        expect({ action, reason }).toEqual({ action: 'skip', reason: 'before-unknown-purged' });
      }
    }
    await savepoint.rewind({ to: first?.id ?? '', take: 'exact', onConflict: 'restore' });
    expect(readFileSync(join(project.root, 'keys/small.txt'), 'utf8')).toBe(before);
    expect(existsSync(join(project.root, 'keys/noise.txt'))).toBe(false);
  });

  it('is not taken back by the next scan, but by whoever writes there', async () => {
    await savepoint.purge(PURGE);
    await savepoint.scan();
    expect(findings()).toEqual([]);
    await savepoint.scan();
    writeFileSync(join(project.root, 'keys/small.txt'), 'harmless now\n');
    const { changes } = await savepoint.scan();
    expect(changes).toMatchObject([
      { path: 'keys/small.txt', before: { reason: 'purged' }, after: { kind: 'captured' } },
    ]);
    expect(findings()).toEqual([]);
  });

  it('also removes what a repair has set aside, and what somebody died over', async () => {
    const folder = storeFolder(project.home);
    mkdirSync(join(folder, 'damaged'));
    for (const name of ['damaged/store.db', 'store.db.new', 'blobs/.0123456789abcdef.tmp']) {
      writeFileSync(join(folder, name), MARKERS.small);
    }
    await savepoint.purge(PURGE);
    expect(findings()).toEqual([]);
  });

  it('does not touch git', async () => {
    await savepoint.purge(PURGE);
    expect(project.repository.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(project.repository.git('show', 'HEAD~1:keys/git.txt')).toContain(MARKERS.history);
  });

  it('finds nothing where nothing fits, and leaves everything', async () => {
    const before = await savepoint.stats();
    expect((await savepoint.purge({ patterns: ['*.nothing'] })).paths).toEqual([]);
    expect(await savepoint.stats()).toEqual(before);
  });
});
