import { describe, expect, it } from 'vitest';
import type { Receipt, RewindPlan, TrackedPath } from '../index.ts';
import { paintFor } from './paint.ts';
import { planText, previewText, receiptText } from './plan-text.ts';

const plain = paintFor({ env: {}, terminal: false }, false);
const path = (name: string): TrackedPath => name as TrackedPath;

function receipt(parts: Partial<Receipt>): Receipt {
  return {
    success: true,
    operationId: null,
    safetyCheckpointId: null,
    restoredFiles: [],
    deletedFiles: [],
    mergedFiles: [],
    conflicts: [],
    skipped: [],
    errors: [],
    notes: [],
    ...parts,
  };
}

it('has a line for each of more paths than a call takes as arguments', () => {
  const state = { kind: 'absent' };
  const lines = Array.from({ length: 200_000 }, (_, i) => {
    return { path: `f${i}`, action: 'delete', expected: state, target: state, takes: [] };
  });
  const plan = { lines, notes: [] } as unknown as RewindPlan;
  expect(planText(plan, plain, 80)).toHaveLength(lines.length);
});

it.each([
  ['directory', '2755 to 3775', 0o2755, 0o3775],
  ['directory', '700 to 755', 0o700, 0o755],
  ['file', '4700 to 755', 0o4700, 0o755],
])('says how the permissions of a %s change: from %s', (type, words, from, to) => {
  const state = (mode: number) => ({ kind: 'captured', type, mode, blob: null, size: 0 });
  const line = { path: 'a', action: 'chmod', expected: state(from), target: state(to), takes: [] };
  const plan = { lines: [line], notes: [] } as unknown as RewindPlan;
  expect(planText(plan, plain, 80)).toEqual([`  restore   a  permissions go from ${words}`]);
});

it('does not say of a file that lost its set-id bits that it is as it was', () => {
  const state = { kind: 'captured', type: 'file', mode: 0o755, blob: 'b', size: 1 };
  const lines = ['a', 'b'].map((name) => {
    return { path: name, action: 'already-there', expected: state, target: state, takes: [1] };
  });
  const notes = [{ code: 'set-id', message: 'check them', paths: ['b'] }];
  const [first, second] = planText({ lines, notes } as unknown as RewindPlan, plain, 80);
  expect(first).toBe('  same      a  is already as it was');
  expect(second).toBe('  same      b  is already as it was, except for set-id bits');
});

describe('previewText', () => {
  const state = { kind: 'captured', type: 'file', mode: 0o644, blob: 'b', size: 1 };
  const line = { path: 'a.txt', action: 'write', expected: state, target: state, takes: [] };
  const plan = { lines: [line], notes: [] } as unknown as RewindPlan;

  it('has a caption above the diff that says what the diff shows', () => {
    const rows = previewText({ plan, conflicts: [], diff: ['-old', '+new'], more: 0 }, plain, 80);
    expect(rows.slice(1)).toEqual(['', 'What will be taken back:', '-old', '+new']);
    expect(previewText({ plan, conflicts: [], diff: [], more: 0 }, plain, 80)).toHaveLength(1);
  });
});

describe('receiptText', () => {
  it('names what was restored, deleted and merged, and why the others were left', () => {
    const lines = receiptText(
      receipt({
        restoredFiles: [path('a.txt')],
        deletedFiles: [path('b.txt')],
        mergedFiles: [path('c.txt')],
        conflicts: [{ path: path('d.txt'), reason: 'overlapping-edits' }],
        skipped: [{ path: path('e.bin'), reason: 'before-unknown-too-large' }],
        errors: [{ path: path('f.txt'), reason: 'blob-corrupt' }],
        notes: [{ code: 'git-head', message: 'HEAD moved', paths: [path('g')] }],
      }),
      plain,
    );
    expect(lines).toEqual([
      '  restored  a.txt',
      '  deleted   b.txt',
      '  merged    c.txt',
      '  conflict  d.txt  left as it is: somebody else changed the same lines since',
      '  skipped   e.bin  left as it is: it was too large to record',
      '  lost      f.txt  cannot come back: its recorded content is damaged, and nothing damaged is ever written',
      '  note: HEAD moved (g)',
    ]);
  });

  it('colours success green and what needs a look yellow', () => {
    const painted = receiptText(
      receipt({
        restoredFiles: [path('a')],
        conflicts: [{ path: path('b'), reason: 'mode-changed' }],
      }),
      (style, text) => `<${style}>${text}`,
    );
    expect(painted[0]).toBe('<green>  restored  a');
    expect(painted[1]).toMatch(/^<yellow> {2}conflict {2}b/);
  });

  it('says so when nothing had to change', () => {
    expect(receiptText(receipt({}), plain)).toEqual(['  everything was as it should be already']);
  });

  it('counts what a person would not read, and shows no control character of a name', () => {
    const many = Array.from({ length: 25 }, (_, i) => path(`\u001b[2J${i}`));
    const lines = receiptText(receipt({ restoredFiles: many }), plain);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('  restored  \\x1b[2J0');
    expect(lines.at(-1)).toBe('  restored  and 5 more');
  });
});
