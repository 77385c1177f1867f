import { describe, expect, it } from 'vitest';
import type { BlobId } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import type { OnConflict, PlanLine } from '../model/plan.ts';
import { ABSENT, type State, unknown } from '../model/state.ts';
import { blobsToMerge, type ChainLink, type PathInput, planPath } from './decide.ts';

const file = (text: string, mode = 0o644): State => ({
  kind: 'captured',
  type: 'file',
  mode,
  blob: text as BlobId,
  size: text.length,
});
const link = (target: string): State => ({ ...file(target), type: 'symlink' }) as State;
const folder: State = { kind: 'captured', type: 'directory', mode: 0o755, blob: null, size: 0 };

/** A chain through these states; the names say whose change leads from one to the next. */
function chain(first: State, ...steps: ['agent' | 'other', State][]): ChainLink[] {
  let before = first;
  return steps.map(([who, after], index) => {
    const made = { seq: index + 1, before, after, inSet: who === 'agent' };
    before = after;
    return made;
  });
}

function plan(
  links: ChainLink[],
  more: Partial<PathInput> & { onConflict?: OnConflict; damaged?: string[] } = {},
): PlanLine {
  const current = more.current ?? links.at(-1)?.after ?? ABSENT;
  const path: PathInput = {
    path: 'f' as TrackedPath,
    links,
    current,
    children: [],
    hardLinks: 1,
    ...more,
  };
  const bytes = blobsToMerge(path).map((id) => [id, Buffer.from(id)] as const);
  const damaged = (more.damaged ?? []).map((id) => [id as BlobId, 'blob-corrupt'] as const);
  return planPath(path, {
    contents: new Map(bytes),
    damaged: new Map(damaged),
    onConflict: more.onConflict ?? null,
    resolutions: new Map(),
  });
}

const textOf = (line: PlanLine): string => Buffer.from(line.merged ?? []).toString();

describe('a path on which only the agent worked', () => {
  it('goes back to the oldest before, byte for byte', () => {
    const line = plan(chain(file('a'), ['agent', file('b')], ['agent', file('c')]));
    expect(line).toMatchObject({ action: 'write', target: file('a'), takes: [1, 2] });
  });

  it('is deleted when the agent created it', () => {
    expect(plan(chain(ABSENT, ['agent', file('a')]))).toMatchObject({ action: 'delete' });
  });

  it('comes back when the agent deleted it', () => {
    const line = plan(chain(file('a', 0o600), ['agent', ABSENT]));
    expect(line).toMatchObject({ action: 'write', target: file('a', 0o600) });
  });

  it('gets its mode, link or folder back', () => {
    expect(plan(chain(file('a'), ['agent', file('a', 0o755)])).action).toBe('chmod');
    expect(plan(chain(link('x'), ['agent', link('y')])).action).toBe('link');
    expect(plan(chain(folder, ['agent', ABSENT])).action).toBe('mkdir');
  });

  it('is replaced rather than changed in place when the file has other names', () => {
    const links = chain(file('a'), ['agent', file('a', 0o755)]);
    expect(plan(links, { hardLinks: 2 }).action).toBe('write');
  });

  it('needs no merge even for binary content', () => {
    const links = chain(file('\0a'), ['agent', file('\0b')]);
    expect(plan(links)).toMatchObject({ action: 'write', target: file('\0a') });
  });

  it('is already there when the agent had undone its own work', () => {
    const line = plan(chain(file('a'), ['agent', file('b')], ['agent', file('a')]));
    expect(line).toMatchObject({ action: 'already-there', takes: [1, 2] });
  });
});

describe('a path on which others worked too', () => {
  const base = '1\n2\n3\n4\n5\n6\n7\n';

  it('keeps their lines and takes the agent’s out', () => {
    const agent = file(base.replace('2', 'two'));
    const both = file(base.replace('2', 'two').replace('6', 'six'));
    const line = plan(chain(file(base), ['agent', agent], ['other', both]));
    expect(line.action).toBe('merge');
    expect(textOf(line)).toBe(base.replace('6', 'six'));
  });

  it('takes out each run of the agent’s changes, newest first', () => {
    const one = base.replace('1', 'one');
    const oneFour = one.replace('4', 'four');
    const all = oneFour.replace('7', 'seven');
    const links = chain(
      file(base),
      ['agent', file(one)],
      ['other', file(oneFour)],
      ['agent', file(all)],
    );
    expect(textOf(plan(links))).toBe(base.replace('4', 'four'));
  });

  it('is in conflict where the same lines changed', () => {
    const links = chain(file('a\n'), ['agent', file('b\n')], ['other', file('c\n')]);
    expect(plan(links)).toMatchObject({
      action: 'conflict',
      reason: 'overlapping-edits',
      takes: [],
    });
  });

  it('is in conflict where they edited a file that the agent created, or deleted one it edited', () => {
    const edited = chain(ABSENT, ['agent', file('a\n')], ['other', file('b\n')]);
    expect(plan(edited)).toMatchObject({ action: 'conflict', reason: 'modify-delete' });
    const deleted = chain(file('a\n'), ['agent', file('b\n')], ['other', ABSENT]);
    expect(plan(deleted)).toMatchObject({ action: 'conflict', reason: 'modify-delete' });
  });

  it('is in conflict where binary content changed on both sides', () => {
    const links = chain(file('\0a'), ['agent', file('\0b')], ['other', file('\0c')]);
    expect(plan(links)).toMatchObject({ action: 'conflict', reason: 'binary-changed' });
  });

  it('has nothing to do where they came to the content of before, even if it is binary', () => {
    const links = chain(file('\0a'), ['agent', file('\0b')], ['other', file('\0a', 0o755)]);
    expect(plan(links)).toMatchObject({ action: 'already-there', takes: [1] });
  });

  it('keeps their mode while the content goes back, and the other way round', () => {
    const theirMode = chain(file('a\n'), ['agent', file('b\n')], ['other', file('b\n', 0o755)]);
    expect(plan(theirMode).target).toMatchObject({ blob: 'a\n', mode: 0o755 });
    const ourMode = chain(
      file(base),
      ['agent', file(base, 0o755)],
      ['other', file(`${base}8\n`, 0o755)],
    );
    expect(plan(ourMode).target).toMatchObject({ blob: `${base}8\n`, mode: 0o644 });
  });

  it('is in conflict where the type changed under them', () => {
    const links = chain(file('a'), ['agent', link('x')], ['other', link('y')]);
    expect(plan(links)).toMatchObject({ action: 'conflict', reason: 'type-changed' });
    const typed = chain(file('a'), ['agent', file('b')], ['other', link('b')]);
    expect(plan(typed)).toMatchObject({ action: 'conflict', reason: 'type-changed' });
  });

  it('is in conflict where a link was pointed elsewhere on both sides', () => {
    const links = chain(link('x'), ['agent', link('y')], ['other', link('z')]);
    expect(plan(links)).toMatchObject({ action: 'conflict', reason: 'overlapping-edits' });
  });
});

describe('a state that was never recorded', () => {
  it('is never a target', () => {
    const links = chain(unknown('too-large'), ['agent', file('small')]);
    expect(plan(links)).toMatchObject({ action: 'skip', reason: 'before-unknown-too-large' });
  });

  it('is a conflict if it is the state that the agent left', () => {
    const links = chain(file('a'), ['agent', unknown('too-large')], ['other', file('b')]);
    expect(plan(links)).toMatchObject({ action: 'conflict', reason: 'after-unknown' });
  });

  it('is distinguished from a state that was recorded and then damaged', () => {
    const links = chain(file('a'), ['agent', unknown('damaged')], ['other', file('b')]);
    expect(plan(links)).toMatchObject({ action: 'conflict', reason: 'after-damaged' });
  });

  it('is not overwritten if it is the current state, not even by choice', () => {
    const links = chain(file('a'), ['agent', file('b')], ['other', unknown('special-file')]);
    const line = plan(links, { onConflict: 'restore' });
    expect(line).toMatchObject({ action: 'conflict', reason: 'current-unknown' });
  });

  it('is named when its bytes are damaged', () => {
    const links = chain(file('a'), ['agent', file('b')]);
    expect(plan(links, { damaged: ['a'] })).toMatchObject({
      action: 'skip',
      reason: 'blob-corrupt',
    });
  });
});

describe('a chosen way out of a conflict', () => {
  const links = chain(file('a\n'), ['agent', file('b\n')], ['other', file('c\n')]);

  it('restores the state before the agent', () => {
    const line = plan(links, { onConflict: 'restore' });
    expect(line).toMatchObject({ action: 'write', target: file('a\n'), takes: [1] });
  });

  it('keeps the current state and counts the change as taken back', () => {
    const line = plan(links, { onConflict: 'keep' });
    expect(line).toMatchObject({ action: 'keep', target: file('c\n'), takes: [1] });
  });

  it('lets `apply` fail', () => {
    expect(plan(links, { onConflict: 'fail' }).action).toBe('conflict');
  });
});
