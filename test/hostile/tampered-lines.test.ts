import { mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSavepoint, type RewindPlan } from '../../src/index.ts';
import { hostileBed, refusalOf } from './hostile-bed.ts';
import {
  ABSENT,
  EVIL,
  expectRefused,
  fileState,
  inLine,
  realPlan,
  type Tamper,
} from './tampered-plan.ts';

const bed = hostileBed();

const evil = fileState(EVIL);
const before = fileState('before\n');
const TOO_LARGE = { kind: 'unknown', reason: 'too-large' };

const lines: [what: string, code: string, tamper: Tamper][] = [
  ['a wrong expectation', 'plan-stale', inLine({ expected: evil })],
  ['the expectation that nothing is there', 'plan-stale', inLine({ expected: ABSENT })],
  [
    'the expectation of another mode',
    'plan-stale',
    inLine({ expected: fileState('after\n', 0o600) }),
  ],
  ['an unknown expectation', 'argument-invalid', inLine({ expected: TOO_LARGE })],
  ['an unknown target', 'argument-invalid', inLine({ target: TOO_LARGE })],
  ['a target blob that is not there', 'blob-missing', inLine({ target: evil })],
  [
    'a link whose blob is not there',
    'blob-missing',
    inLine({ action: 'link', target: { ...evil, type: 'symlink', mode: 0o777 } }),
  ],
  [
    'a blob that is a path',
    'argument-invalid',
    inLine({ target: { ...evil, blob: '../../etc/passwd' } }),
  ],
  ['a file without a blob', 'argument-invalid', inLine({ target: { ...evil, blob: null } })],
  [
    'a folder with a blob',
    'argument-invalid',
    inLine({ action: 'mkdir', target: { ...evil, type: 'directory' } }),
  ],
  [
    'a set-user-id bit of a folder',
    'argument-invalid',
    inLine({ action: 'mkdir', target: { ...before, type: 'directory', mode: 0o4755, blob: null } }),
  ],
  ['a mode beyond all bits', 'argument-invalid', inLine({ target: { ...before, mode: 0o20755 } })],
  ['a mode below zero', 'argument-invalid', inLine({ target: { ...before, mode: -1 } })],
  ['a mode that is text', 'argument-invalid', inLine({ target: { ...before, mode: '777' } })],
  ['a mode with a fraction', 'argument-invalid', inLine({ target: { ...before, mode: 0.5 } })],
  [
    'merged bytes that are not the target',
    'argument-invalid',
    inLine({ action: 'merge', merged: EVIL }),
  ],
  ['merged bytes where nothing is merged', 'argument-invalid', inLine({ merged: EVIL })],
  ['merged bytes that are text', 'argument-invalid', inLine({ action: 'merge', merged: 'evil' })],
  ['a merge without bytes', 'argument-invalid', inLine({ action: 'merge' })],
  ['a change of mode that brings content', 'argument-invalid', inLine({ action: 'chmod' })],
  ['a folder that is a file', 'argument-invalid', inLine({ action: 'mkdir' })],
  ['a link that is a file', 'argument-invalid', inLine({ action: 'link' })],
  ['a deletion that brings a file', 'argument-invalid', inLine({ action: 'delete' })],
  [
    'a deletion of what was there before',
    'argument-invalid',
    inLine({ action: 'delete', target: ABSENT }),
  ],
  ['an entry of another type', 'argument-invalid', inLine({ target: { ...evil, type: 'device' } })],
  ['an action that does not exist', 'argument-invalid', inLine({ action: 'chown' })],
  ['an action that every object has', 'argument-invalid', inLine({ action: 'constructor' })],
  ['a state without a kind', 'argument-invalid', inLine({ expected: {} })],
  ['a state that is null', 'argument-invalid', inLine({ target: null })],
  ['an idle line with a target', 'argument-invalid', inLine({ action: 'already-there' })],
  ['changes of other paths', 'plan-stale', inLine({ takes: [2, 3, 4] })],
  ['changes that never happened', 'plan-stale', inLine({ takes: [1_000_000] })],
  ['changes that are no numbers', 'argument-invalid', inLine({ takes: ['1'] })],
  ['changes that are no list', 'argument-invalid', inLine({ takes: 'all' })],
  ['no changes', 'argument-invalid', inLine({ takes: [] })],
];

const plans: [what: string, code: string, tamper: Tamper][] = [
  [
    'each path twice',
    'argument-invalid',
    (plan) => ({ ...plan, lines: [...plan.lines, ...plan.lines] }),
  ],
  ['a line that is null', 'argument-invalid', (plan) => ({ ...plan, lines: [null] })],
  ['lines that are no list', 'argument-invalid', (plan) => ({ ...plan, lines: { length: 1 } })],
  ['notes that are no list', 'argument-invalid', (plan) => ({ ...plan, notes: null })],
  ['a note without a message', 'argument-invalid', (plan) => ({ ...plan, notes: [{ code: 'x' }] })],
  ['a number from the future', 'argument-invalid', (plan) => ({ ...plan, seq: 1_000_000 })],
  ['a number that is none', 'argument-invalid', (plan) => ({ ...plan, seq: Number.NaN })],
  ['another kind of operation', 'argument-invalid', (plan) => ({ ...plan, kind: 'format' })],
  ['a description that is no text', 'argument-invalid', (plan) => ({ ...plan, description: {} })],
  ['families that are no list', 'argument-invalid', (plan) => ({ ...plan, families: 'agent' })],
  ['a choice that does not exist', 'argument-invalid', (plan) => ({ ...plan, onConflict: 'all' })],
  ['a checkpoint that is no id', 'argument-invalid', (plan) => ({ ...plan, checkpointId: {} })],
  ['only a prototype', 'argument-invalid', (plan) => Object.create({ ...plan, lines: 5 })],
];

describe('a plan with', () => {
  it.each(lines)('%s is refused as %s', (_what, code, tamper) =>
    expectRefused(bed(), tamper, code),
  );
  it.each(plans)('%s is refused as %s', (_what, code, tamper) =>
    expectRefused(bed(), tamper, code),
  );

  it.each([0o4755, 0o2755, 0o6644])(
    'the set-id bits of mode 0o%o sets none of them',
    async (mode) => {
      const plan = await realPlan(bed());
      const tampered = inLine({ target: { ...before, mode } })(plan);
      await bed().savepoint.apply(tampered as RewindPlan);
      expect(bed().text('file')).toBe('before\n');
      expect(statSync(bed().at('file')).mode & 0o7777).toBe(mode & 0o777);
    },
  );

  it('an older number does not hide what happened since', async () => {
    const plan = await realPlan(bed());
    bed().put('file', 'mine now\n');
    const refusal = await refusalOf(() => bed().savepoint.apply({ ...plan, seq: 0 }));
    expect(refusal.code).toBe('plan-stale');
    expect(bed().text('file')).toBe('mine now\n');
  });

  it('a newer number does not hide what is on disk', async () => {
    const plan = await realPlan(bed());
    await bed().write('m2', 'file', 'later\n');
    const { seq } = await bed().savepoint.planRewind({ to: 'latest' });
    const refusal = await refusalOf(() => bed().savepoint.apply({ ...plan, seq, families: [] }));
    expect(refusal.code).toBe('plan-stale');
    expect(bed().text('file')).toBe('later\n');
  });
});

describe('a real plan', () => {
  it('survives being copied, as it is when it crosses a boundary', async () => {
    const plan = structuredClone(await realPlan(bed()));
    expect((await bed().savepoint.apply(plan)).success).toBe(true);
    expect(bed().text('file')).toBe('before\n');
  });

  it('is refused by the timeline of another project', async () => {
    const plan = await realPlan(bed());
    const other = join(bed().base, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'file'), 'after\n');
    const theirs = await openSavepoint({ project: other, home: bed().home });
    await refusalOf(() => theirs.apply(plan));
    await theirs.close();
  });

  it('that was made before a parent became a link is stale', async () => {
    const plan = await realPlan(bed());
    renameSync(bed().at('dir'), bed().at('real'));
    symlinkSync('real', bed().at('dir'));
    expect((await refusalOf(() => bed().savepoint.apply(plan))).code).toBe('plan-stale');
    expect(bed().text('real/file')).toBe('after\n');
  });
});
