import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Progress } from '../index.ts';
import { ProgressLine, type ProgressStream, progressText } from './progress.ts';

let written: string;
const terminal = (): ProgressStream => ({
  isTTY: true,
  columns: 30,
  write: (text: string | Uint8Array) => {
    written += String(text);
    return true;
  },
});
const swap = (done: number): Progress => ({ step: 'swap', done, total: 4 });

beforeEach(() => {
  written = '';
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function lineOn(stream: ProgressStream, enabled = true): ProgressLine {
  const line = new ProgressLine(stream);
  line.enabled = enabled;
  return line;
}

it('shows nothing of work that is quick', () => {
  const line = lineOn(terminal());
  line.tell(swap(0));
  vi.advanceTimersByTime(400);
  line.end();
  vi.advanceTimersByTime(1_000);
  expect(written).toBe('');
});

it('appears once it takes long, though nobody tells more, and is gone at the end', () => {
  const line = lineOn(terminal());
  line.tell({ step: 'scan', done: 0, total: null });
  vi.advanceTimersByTime(600);
  expect(written).toBe('\r\x1b[KLooking at the project…');
  line.end();
  line.end();
  expect(written).toMatch(/…\r\x1b\[K$/);
});

it('is not drawn more often than one can read, nor wider than the terminal', () => {
  const line = lineOn(terminal());
  line.tell(swap(1));
  vi.advanceTimersByTime(600);
  line.tell(swap(2));
  expect(written.split('\r')).toHaveLength(2);
  vi.advanceTimersByTime(200);
  line.tell(swap(3));
  expect(written.split('\r')).toEqual([
    '',
    '\x1b[KRestoring [######-----------…',
    '\x1b[KRestoring [#################…',
  ]);
});

it('shows nothing in a pipe, nor to whom it is not meant for', () => {
  for (const line of [lineOn({ ...terminal(), isTTY: false }), lineOn(terminal(), false)]) {
    line.tell(swap(0));
    vi.advanceTimersByTime(600);
    line.tell(swap(2));
    line.end();
  }
  expect(written).toBe('');
});

it('lets the event loop turn now and then, shown or not', async () => {
  const line = lineOn(terminal(), false);
  expect(line.tell(swap(0))).toBeUndefined();
  vi.advanceTimersByTime(30);
  const turn = line.tell(swap(1));
  expect(turn).toBeInstanceOf(Promise);
  vi.useRealTimers();
  await turn;
});

it('ends the work when the check says so', () => {
  const line = lineOn(terminal());
  line.check = () => {
    throw new Error('enough');
  };
  expect(() => line.tell(swap(0))).toThrow('enough');
});

it.each([
  [{ step: 'copy', done: 0, total: 10 }, 'Making a first copy [------------------------] 0 of 10'],
  [{ step: 'write', done: 5, total: 10 }, 'Writing files [############------------] 5 of 10'],
  [{ step: 'plan', done: 0, total: 0 }, 'Planning…'],
] as const)('puts %j in words', (progress, text) => {
  expect(progressText(progress)).toBe(text);
});
