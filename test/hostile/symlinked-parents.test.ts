import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RewindPlan } from '../../src/index.ts';
import { hostileBed, refusalOf } from './hostile-bed.ts';

const bed = hostileBed();

/** What an agent did below "dir", so that a rewind has to bring back or take away something there. */
const works: [what: string, path: string, agent: () => void][] = [
  ['write a file', 'dir/file', () => bed().put('dir/file', 'after')],
  ['write a file further down', 'dir/deep/file', () => bed().put('dir/deep/file', 'after')],
  ['delete a file', 'dir/passwd', () => bed().put('dir/passwd', 'made')],
  ['bring a file back', 'dir/file', () => rmSync(bed().at('dir/file'))],
  ['change a mode', 'dir/file', () => chmodSync(bed().at('dir/file'), 0o600)],
  ['make a folder again', 'dir/deep', () => rmSync(bed().at('dir/deep'), { recursive: true })],
  ['remove a folder', 'dir/new', () => mkdirSync(bed().at('dir/new'))],
  ['bring a link back', 'dir/link', () => rmSync(bed().at('dir/link'))],
  ['remove a link', 'dir/link2', () => symlinkSync('x', bed().at('dir/link2'))],
];

/** The same names inside as in the folder outside, so that a path through a link finds something. */
async function work(path: string, agent: () => void): Promise<void> {
  bed().put('dir/file', 'before');
  bed().put('dir/deep/file', 'before');
  symlinkSync('file', bed().at('dir/link'));
  await bed().tool('m1', [path], agent);
}

function swapForLink(folder = 'dir', target = join(bed().outside, 'dir')): void {
  renameSync(bed().at(folder), bed().at('aside'));
  symlinkSync(target, bed().at(folder));
}

describe('a parent that became a link before the plan', () => {
  it.each(works)('is not gone through: to %s', async (_what, path, agent) => {
    await work(path, agent);
    swapForLink();
    const held = bed().tree();
    for (const onConflict of [undefined, 'restore'] as const)
      await bed().rewind('m1', { onConflict });
    expect(bed().tree()).toEqual(held);
  });
});

describe('a parent that became a link between plan and apply', () => {
  it.each(works)('makes the plan stale: to %s', async (_what, path, agent) => {
    await work(path, agent);
    const plan = await bed().savepoint.planRewind({ to: 'latest' });
    expect(plan.lines.some((line) => line.path === path && line.action !== 'skip')).toBe(true);
    swapForLink();
    const held = bed().tree();
    expect((await refusalOf(() => bed().savepoint.apply(plan))).code).toBe('plan-stale');
    expect(bed().tree()).toEqual(held);
  });

  const places: [what: string, folder: string][] = [
    ['the outermost folder', 'a'],
    ['a folder in between', 'a/b'],
    ['the innermost folder', 'a/b/c'],
  ];
  it.each(places)('is refused wherever it stands: %s', async (_what, folder) => {
    bed().put('a/b/c/file', 'before');
    await bed().write('m1', 'a/b/c/file', 'after');
    const plan: RewindPlan = await bed().savepoint.planRewind({ to: 'latest' });
    swapForLink(folder, bed().at('aside'));
    expect((await refusalOf(() => bed().savepoint.apply(plan))).code).toBe('plan-stale');
  });

  it('is refused when it is the project itself', async () => {
    bed().put('file', 'before');
    await bed().write('m1', 'file', 'after');
    const plan = await bed().savepoint.planRewind({ to: 'latest' });
    const aside = join(bed().base, 'aside');
    renameSync(bed().root, aside);
    writeFileSync(join(bed().base, 'file'), 'after');
    symlinkSync(bed().base, bed().root);
    await refusalOf(() => bed().savepoint.apply(plan));
    rmSync(bed().root);
    renameSync(aside, bed().root);
    expect(bed().text('file')).toBe('after');
  });
});

describe('a link that a rewind brings back', () => {
  it('in place of a folder is not gone through by the rest of the plan', async () => {
    symlinkSync(join(bed().outside, 'dir'), bed().at('dir'));
    const start = bed().tree();
    await bed().tool('m1', ['dir'], () => {
      rmSync(bed().at('dir'));
      bed().put('dir/file', 'agent');
      bed().put('dir/deep/file', 'agent');
    });
    await bed().rewind('m1', { onConflict: 'restore' });
    expect(bed().tree()).toEqual(start);
    await bed().savepoint.undo();
    expect(bed().text('dir/file')).toBe('agent');
  });

  it('to git lets nobody write there', async () => {
    symlinkSync('.git', bed().at('repository'));
    await bed().tool('m1', ['repository'], () => rmSync(bed().at('repository')));
    await bed().rewind('m1');
    const request = { sessionId: 'agent', messageId: 'm2', paths: ['repository/hooks/new'] };
    const { changes } = await bed().savepoint.captureBefore(request);
    expect(changes).toMatchObject([{ path: '.git/hooks/new', before: { reason: 'protected' } }]);
  });
});
