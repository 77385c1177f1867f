import { expect, it } from 'vitest';
import type { ToolResultShown } from '../ui/interactive-ui.ts';
import { elapsedText, toolLine } from './tool-line.ts';
import { refusalFor } from './tool-outcome.ts';
import { endedRows, runningRows } from './tool-rows.ts';

const plain = (_style: string, text: string): string => text;
const room = { columns: 60, verbose: false, paint: plain, cwd: '/project' };
const numbers = (count: number): string =>
  Array.from({ length: count }, (_, i) => `${i + 1}`).join('\n');

function rows(
  name: string,
  input: Record<string, unknown>,
  result: Partial<ToolResultShown>,
  more: { readonly verbose?: boolean; readonly elapsedMs?: number } = {},
): string[] {
  const call = { id: 't', name, input };
  const { elapsedMs = 0, verbose = false } = more;
  const whole = { id: 't', text: '', isError: false, ...result };
  return endedRows({ call, result: whole, elapsedMs }, { ...room, verbose });
}

it.each([
  ['Write', { file_path: '/project/src/notes.txt', content: 'x' }, 'Write src/notes.txt'],
  ['Read', { file_path: '/etc/hosts' }, 'Read /etc/hosts'],
  ['Bash', { command: 'npm test', description: 'Run tests' }, 'Bash $ npm test'],
  ['Grep', { pattern: 'TODO', path: '/project' }, 'Grep TODO'],
  ['mcp__db__query', { limit: 3 }, 'mcp__db__query'],
  ['Bash', { command: 'echo a\necho \x1b[2Jb' }, 'Bash $ echo a\\necho \\x1b[2Jb'],
])('says in a line what %s is about to do', (name, input, expected) => {
  expect(toolLine({ name, input }, '/project')).toBe(expected);
});

it('says which calls are those of a sub-agent', () => {
  const input = { file_path: '/project/a.ts' };
  const call = { id: 't', name: 'Read', input, isOfSubAgent: true };
  const paint = (style: string, text: string): string => (style === 'bold' ? `*${text}*` : text);
  const drawn = endedRows({ call, result: null, elapsedMs: 0 }, { ...room, paint });
  expect(drawn).toEqual(['● *Sub-agent: Read* a.ts']);
});

it.each([
  [0, '0.0s'],
  [1_290, '1.2s'],
  [59_900, '59s'],
  [125_000, '2m 05s'],
])('says how long %i ms are', (ms, expected) => {
  expect(elapsedText(ms)).toBe(expected);
});

// As the SDK's binary sends them.
const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";
const STOPPED = `${REJECTED} Correction to the text above: this call was stopped while running, not refused before it ran.`;

it.each([
  ['a no', refusalFor(null), 'Not done: you said no'],
  ['a no with words', refusalFor('use pnpm'), 'Not done: you said no, use pnpm'],
  ['an interrupt before it began', REJECTED, 'Not done: interrupted'],
])('says %s in one line', (_, text, expected) => {
  for (const name of ['Bash', 'Write', 'mcp__x__y']) {
    expect(rows(name, {}, { text, isError: true })).toEqual([`● ${name}`, `  ⎿ ${expected}`]);
  }
});

it('says behind a call that it was interrupted', () => {
  const stopped = { text: STOPPED, isError: true };
  expect(rows('Bash', {}, stopped, { elapsedMs: 3_000 })).toEqual(['● Bash (3.0s, interrupted)']);
  const ended = { call: { id: 't', name: 'Bash', input: {} }, elapsedMs: 0, printed: 'so far\n' };
  expect(endedRows({ ...ended, result: { id: 't', ...stopped } }, room)).toEqual([
    '● Bash (interrupted)',
    '  ⎿ so far',
  ]);
});

it.each([
  ['Edit', 'String to replace not found in file.\nString: x', 'the text to replace is not in the'],
  ['Write', 'File has not been read yet. Read it first before writing to it.', 'the agent has to'],
  ['Nope', 'Error: No such tool available: Nope', 'there is no such tool in this conversation'],
  ['Bash', 'Blocked: standalone sleep 30. To wait, use Monitor.', 'Blocked: standalone sleep 30'],
])('says why %s failed, and not what the model is to do about it', (name, reason, expected) => {
  const text = `<tool_use_error>${reason}</tool_use_error>`;
  const [, said = '', ...more] = rows(name, {}, { text, isError: true });
  expect(said).toContain(`⎿ Not done: ${expected}`);
  expect([said, ...more].join()).not.toMatch(/Read it first|Monitor|tool_use_error/);
});

it('shows an edit as a diff, folded where it is long', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `+new ${i + 1}`);
  const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 30, lines }];
  const result = { text: 'updated (file state is current)', output: { structuredPatch } };
  const input = { file_path: '/project/src/a.ts' };
  const folded = rows('Edit', input, result);
  expect(folded.slice(0, 3)).toEqual([
    '● Edit src/a.ts (+30 -0)',
    '  ⎿  1 + new 1',
    '     2 + new 2',
  ]);
  expect(folded.at(-1)).toBe('    … 14 more lines (Ctrl-O shows them)');
  expect(rows('Edit', input, result, { verbose: true }).at(-1)).toBe('    30 + new 30');
});

it('shows the beginning of a new file', () => {
  const output = { type: 'create', content: `${numbers(20)}\n`, structuredPatch: [] };
  const shown = rows('Write', { file_path: '/project/n.txt' }, { text: 'File created', output });
  expect(shown[0]).toBe('● Write n.txt (new file, 20 lines)');
  expect(shown).toHaveLength(10);
});

it('shows what a command printed, its time and its exit code', () => {
  const input = { command: 'npm test' };
  const output = { stdout: numbers(9), stderr: '', interrupted: false };
  expect(rows('Bash', input, { text: 'for the model', output }, { elapsedMs: 1_200 })).toEqual([
    '● Bash $ npm test (1.2s, exit 0)',
    '  ⎿ 1',
    '    2',
    '    … 3 more lines (Ctrl-O shows them)',
    '    6',
    '    7',
    '    8',
    '    9',
  ]);
  const failed = { text: 'Exit code 3\nout\n\x1b[2Jerr', isError: true, output: 'Error: …' };
  expect(rows('Bash', input, failed, { elapsedMs: 61_000 })).toEqual([
    '● Bash $ npm test (1m 01s, exit 3)',
    '  ⎿ out',
    '    \\x1b[2Jerr',
  ]);
  const none = { text: '(Bash completed with no output)', output: { stdout: '', stderr: '' } };
  expect(rows('Bash', input, none)).toEqual(['● Bash $ npm test (exit 0)']);
  const behind = { text: 'running with ID: b1', output: { stdout: '', backgroundTaskId: 'b1' } };
  expect(rows('Bash', input, behind)).toEqual(['● Bash $ npm test (goes on in the background)']);
  const grep = { output: { stdout: '', returnCodeInterpretation: 'No matches found' } };
  expect(rows('Bash', input, grep)).toEqual(['● Bash $ npm test (No matches found)']);
});

it('folds a long output without looking at all of it', () => {
  const output = { stdout: numbers(100_000), stderr: '' };
  const shown = rows('Bash', { command: 'seq' }, { output });
  expect(shown[3]).toBe('    … 99994 more lines (Ctrl-O shows them)');
  expect(shown.at(-1)).toBe('    100000');
});

it('cuts a long command, never its time and its end, and shows it whole when asked', () => {
  const input = { command: `echo ${'y'.repeat(80)}` };
  const result = { output: { stdout: '', stderr: '' } };
  const [line = ''] = rows('Bash', input, result, { elapsedMs: 500 });
  expect(line).toMatch(/…\s\(0\.5s, exit 0\)$/);
  expect(line).toHaveLength(60);
  expect(rows('Bash', input, result, { verbose: true }).join('').match(/y/g)).toHaveLength(80);
});

it('shows the text of other tools, without what only the model is meant to read', () => {
  const note =
    "[This command modified 1 file you've previously read: a.txt. Call Read before editing.]";
  const text = `found 3\n<system-reminder>\nEnsure that you continue\n</system-reminder>${note}`;
  expect(rows('mcp__db__query', {}, { text })).toEqual(['● mcp__db__query', '  ⎿ found 3']);
  const many = rows('mcp__db__query', {}, { text: numbers(6) });
  expect(many.at(-1)).toBe('    … 2 more lines (Ctrl-O shows them)');
  expect(rows('mcp__db__query', {}, { text: numbers(6) }, { verbose: true })).toHaveLength(7);
});

it('says how much was read, and what only where everything is shown', () => {
  const output = { type: 'text', file: { content: 'a\nb\n', numLines: 3 } };
  const input = { file_path: '/project/a.txt' };
  const result = { text: '1\ta\n2\tb', output };
  expect(rows('Read', input, result)).toEqual(['● Read a.txt (2 lines)']);
  expect(rows('Read', input, result, { verbose: true }).slice(1)).toEqual(['  ⎿ a', '    b']);
});

it('shows the time and the last output of a command that runs', () => {
  const call = { id: 't', name: 'Bash', input: { command: 'npm test' } };
  const running = { call, startedAt: 0, output: `${numbers(9)}\n\x1b[2J` };
  expect(runningRows(running, 12_345, room)).toEqual([
    '● Bash $ npm test (12s)',
    '  ⎿ 6',
    '    7',
    '    8',
    '    9',
    '    \\x1b[2J',
  ]);
});

it.each([
  [
    'Task',
    { description: 'Look around' },
    {
      status: 'completed',
      content: [{ type: 'text', text: 'All is well.' }],
      totalToolUseCount: 2,
    },
    ['● Task Look around (2 tool calls)', '  ⎿ All is well.'],
  ],
  [
    'Task',
    { description: 'Look around' },
    { status: 'async_launched', agentId: 'a1' },
    ['● Task Look around (goes on in the background)'],
  ],
  [
    'AskUserQuestion',
    {},
    { answers: { 'Which one?': 'The blue one' } },
    ['● AskUserQuestion', '  ⎿ Which one? The blue one'],
  ],
  [
    'WebFetch',
    { url: 'https://x.test/' },
    { code: 200, bytes: 1_500, result: 'A page' },
    ['● WebFetch https://x.test/ (200, 1.5 kB)', '  ⎿ A page'],
  ],
  [
    'Monitor',
    { command: 'tail -f x' },
    { taskId: 'b1' },
    ['● Monitor $ tail -f x (goes on in the background)'],
  ],
])('draws %s from what it tells programs', (name, input, output, expected) => {
  expect(rows(name, input, { text: 'never quote this to the user', output })).toEqual(expected);
});
