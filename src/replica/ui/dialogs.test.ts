import { expect, it } from 'vitest';
import { unifiedHunks } from '../../index.ts';
import { type Chooser, pressed } from '../../terminal/interactive/chooser.ts';
import { chooserRows } from '../../terminal/interactive/chooser-rows.ts';
import { textWidth } from '../../terminal/text-width.ts';
import { listOf, permissionDialog } from './dialogs.ts';
import type {
  EntryCounts,
  PermissionQuestion,
  RewindCounts,
  RewindEntry,
} from './interactive-ui.ts';
import { rewindChoice, rewindMenu } from './rewind-menu.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const plain = (_style: string, text: string): string => text;
const rowsOf = (dialog: Chooser<unknown>, columns: number, rows: number) =>
  chooserRows(dialog, { columns, rows, now: NOW }, plain);

const entry = (minutes: number, description: string, label: string | null = null): RewindEntry => ({
  id: description,
  timestamp: new Date(NOW - minutes * 60_000),
  description,
  label,
  isPrompt: true,
  counts: async () => ({ own: null, sum: null }),
  preview: async () => () => [],
});
const counts = (some: Partial<RewindCounts>): RewindCounts => ({
  files: 0,
  folders: 0,
  conflicts: 0,
  insertions: 0,
  deletions: 0,
  ...some,
});
const NOTHING = { counts: new Map<string, EntryCounts>(), previews: new Map() };
const never = new AbortController().signal;

it('offers only what can be taken back', () => {
  const preview = { title: 'Rewind to: by hand', body: () => [], choices: ['files'] as const };
  const rows = rowsOf(rewindChoice(preview), 80, 10).join('\n');
  expect(rows).toContain('1  files: put them back');
  expect(rows).not.toContain('both');
});

it('lists when, what, and what would change as far as that is known', () => {
  const entries = [
    entry(2, 'Add dark mode toggle'),
    entry(61, '修复解析器'),
    entry(90, 'Tidy up\x1b[2J', 'good'),
    entry(120, 'Begin'),
    entry(121, 'Split it'),
    entry(122, 'Mine'),
  ];
  const sums: [string, RewindCounts | null][] = [
    ['Add dark mode toggle', counts({ files: 2, insertions: 10, deletions: 3 })],
    ['修复解析器', counts({})],
    ['Split it', counts({ files: 1, folders: 2, conflicts: 1, insertions: 4 })],
    ['Mine', counts({ conflicts: 2 })],
    ['Begin', null],
  ];
  const own = counts({ files: 1, insertions: 1 });
  const known = new Map<string, EntryCounts>(
    sums.map(([id, sum]) => [id, { own: id.startsWith('Add') ? own : sum, sum }]),
  );
  expect(rowsOf(rewindMenu(entries, { ...NOTHING, counts: known }, plain), 80, 22)).toEqual([
    'Rewind: what each changed → what going back takes back',
    '❯ 1  2 minutes ago  Add dark mode toggle  1 file +1 -0 → 2 files +10 -3',
    '  2  1 hour ago     修复解析器  no changes',
    '  3  1 hour ago     [good] Tidy up\\x1b[2J  …',
    '  4  2 hours ago    Begin',
    '  5  2 hours ago    Split it  1 file and 2 folders +4 -0, 1 conflict',
    '  6  2 hours ago    Mine  2 conflicts',
    '1–6 or ↑↓ Enter · d diff · / filters · 0 or Esc leaves',
  ]);
});

it.each([
  [80, 22],
  [40, 8],
  [20, 4],
  [10, 2],
])(
  'keeps a long menu within %i columns and %i rows, with what is selected in it',
  (columns, rows) => {
    const entries = Array.from({ length: 30 }, (_, i) =>
      entry(i, `第${i + 1}个提示，很长很长很长很长很长很长的描述`),
    );
    const menu = rewindMenu(entries, NOTHING, plain);
    for (const selected of [0, 14, 29]) {
      const shown = rowsOf({ ...menu, selected }, columns, rows);
      expect(shown.length).toBeLessThanOrEqual(rows);
      expect(Math.max(...shown.map(textWidth))).toBeLessThanOrEqual(columns);
      if (rows > 2) expect(shown.join('\n')).toContain(`❯ ${String(selected + 1).padStart(2)}`);
    }
  },
);

const question = (more: Partial<PermissionQuestion>): PermissionQuestion => ({
  callId: 't1',
  toolName: 'Bash',
  title: 'Run this command?',
  details: [],
  edit: null,
  always: null,
  isGrave: false,
  signal: never,
  ...more,
});

it('cuts nothing off a command that is to be allowed', () => {
  const details = [`echo ${'very '.repeat(20)}long; rm -rf /\x1b[1A`];
  const shown = rowsOf(permissionDialog(question({ details }), plain), 40, 20);
  expect(shown.join(' ')).toContain('rm -rf /\\x1b[1A');
  expect(shown.filter((row) => /^[❯ ] \d/.test(row))).toEqual([
    '❯ 1  Yes, this once (y)',
    '  3  No (n)',
    '  4  No, and say what to do instead:',
  ]);
});

it('says what "always" allows, wrapped at words', () => {
  const always = 'this command, commands that begin with npm run';
  expect(rowsOf(permissionDialog(question({ always }), plain), 60, 20).slice(1, -1)).toEqual([
    '❯ 1  Yes, this once (y)',
    '  2  Yes, and do not ask again in this conversation for this',
    '     command, commands that begin with npm run (a)',
    '  3  No (n)',
    '  4  No, and say what to do instead: type it',
  ]);
});

it('opens on no, and takes no single key for yes, where the SDK says that it is grave', () => {
  const dialog = permissionDialog(question({ isGrave: true, always: 'this command' }), plain);
  const view = { bodyRows: 0, bodyRoom: 0, listRoom: 9 };
  expect(rowsOf(dialog, 60, 20).find((row) => row.startsWith('❯'))).toContain('No (n)');
  const { chooser, outcome } = pressed(dialog, { name: 'text', text: 'y' }, view);
  expect(outcome.kind).toBe('stay');
  expect(rowsOf(chooser, 60, 20)).toContain('     > y▏');
});

it('shows the diff of an edit, with line numbers, above the answers', () => {
  const edit = {
    path: '/p/a.txt',
    isNew: false,
    isPlaced: true,
    hunks: unifiedHunks(Buffer.from('a\nb\nc\n'), Buffer.from('a\nB\nc\n')),
  };
  expect(rowsOf(permissionDialog(question({ title: 'Edit a.txt?', edit }), plain), 60, 20)).toEqual(
    expect.arrayContaining(['Edit a.txt?', '+1 -1', '1   a', '2 - b', '2 + B', '3   c']),
  );
});

it('indents what explains an item below its name', () => {
  const items = [
    { id: 'a', text: 'name\nwhat it is\nand more' },
    { id: 'b', text: 'other' },
  ];
  expect(rowsOf(listOf('Pick', items, plain), 40, 10).slice(1, 5)).toEqual([
    '❯ 1  name',
    '     what it is',
    '     and more',
    '  2  other',
  ]);
});
