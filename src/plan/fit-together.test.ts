import { describe, expect, it } from 'vitest';
import type { BlobId } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import type { PlanAction, PlanLine } from '../model/plan.ts';
import { ABSENT, type State } from '../model/state.ts';
import type { Surrounding } from './decide.ts';
import { fitTogether } from './fit-together.ts';

const file: State = { kind: 'captured', type: 'file', mode: 0o644, blob: 'x' as BlobId, size: 1 };
const folder: State = { kind: 'captured', type: 'directory', mode: 0o755, blob: null, size: 0 };

function line(path: string, action: PlanAction, expected: State, target: State): PlanLine {
  return { path: path as TrackedPath, action, expected, target, takes: [1] };
}

function actionsOf(
  lines: PlanLine[],
  around: {
    surroundings?: Record<string, Surrounding['kind']>;
    children?: Record<string, string[]>;
  } = {},
): Record<string, string> {
  const surroundings = Object.entries(around.surroundings ?? {}).map(
    ([path, kind]) => [path as TrackedPath, { kind, mode: 0o700 }] as const,
  );
  const children = Object.entries(around.children ?? {}).map(
    ([path, names]) => [path as TrackedPath, names] as const,
  );
  const fitted = fitTogether(lines, {
    surroundings: new Map(surroundings),
    children: new Map(children),
  });
  return Object.fromEntries(fitted.map(({ path, action, reason }) => [path, reason ?? action]));
}

describe('folders', () => {
  it('go when everything in them goes', () => {
    const lines = [line('d', 'delete', folder, ABSENT), line('d/x', 'delete', file, ABSENT)];
    expect(actionsOf(lines, { children: { d: ['x'] } })).toEqual({ d: 'delete', 'd/x': 'delete' });
  });

  it('stay when somebody else has a file in them', () => {
    const lines = [line('d', 'delete', folder, ABSENT), line('d/x', 'delete', file, ABSENT)];
    const fitted = actionsOf(lines, { children: { d: ['x', 'mine'] } });
    expect(fitted).toEqual({ d: 'directory-not-empty', 'd/x': 'delete' });
  });

  it('stay all the way up when one deep inside has to stay', () => {
    const lines = [
      line('d', 'delete', folder, ABSENT),
      line('d/e', 'delete', folder, ABSENT),
      line('d/e/x', 'conflict', file, file),
    ];
    const fitted = actionsOf(lines, { children: { d: ['e'], 'd/e': ['x'] } });
    expect(fitted).toMatchObject({ d: 'directory-not-empty', 'd/e': 'directory-not-empty' });
  });

  it('are made again, with a line of their own, for files that come back', () => {
    const lines = [line('a/b/x', 'write', ABSENT, file)];
    const fitted = actionsOf(lines, { surroundings: { a: 'absent', 'a/b': 'absent' } });
    expect(fitted).toEqual({ a: 'mkdir', 'a/b': 'mkdir', 'a/b/x': 'write' });
  });

  it('behind a link are not written to', () => {
    const lines = [line('a/x', 'write', ABSENT, file)];
    expect(actionsOf(lines, { surroundings: { a: 'symlink' } })).toEqual({
      'a/x': 'symlinked-parent',
    });
  });
});

describe('a file and a folder that swap places', () => {
  it('do so when the way is free', () => {
    const toFile = [line('d', 'write', folder, file), line('d/x', 'delete', file, ABSENT)];
    expect(actionsOf(toFile, { children: { d: ['x'] } })).toEqual({ d: 'write', 'd/x': 'delete' });
    const toFolder = [line('d', 'mkdir', file, folder), line('d/x', 'write', ABSENT, file)];
    expect(actionsOf(toFolder)).toEqual({ d: 'mkdir', 'd/x': 'write' });
  });

  it('are left in conflict together when the folder must stay', () => {
    const lines = [line('d', 'write', folder, file), line('d/x', 'delete', file, ABSENT)];
    const fitted = actionsOf(lines, { children: { d: ['x', 'mine'] } });
    expect(fitted).toEqual({ d: 'blocked', 'd/x': 'blocked' });
  });

  it('are left in conflict together when the file must stay', () => {
    const lines = [line('d', 'conflict', file, file), line('d/x', 'write', ABSENT, file)];
    expect(actionsOf(lines)).toMatchObject({ 'd/x': 'blocked' });
    expect(
      actionsOf([line('d/x', 'write', ABSENT, file)], { surroundings: { d: 'file' } }),
    ).toEqual({
      'd/x': 'blocked',
    });
  });
});
