import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CheckpointId, ListedCheckpoint } from '../../index.ts';
import { type Preview, Previews } from './previews.ts';

const [A, B, C] = ['a', 'b', 'c'].map((id) => ({ id }) as ListedCheckpoint) as [
  ListedCheckpoint,
  ListedCheckpoint,
  ListedCheckpoint,
];

let begun: string[];
let finish: () => void;
let ready: number;
let failures: unknown[];
let previews: Previews;

beforeEach(() => {
  begun = [];
  ready = 0;
  failures = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  previews = new Previews(
    async ({ id }, breathe) => {
      begun.push(id);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      await breathe();
      return { problem: id };
    },
    () => {
      ready += 1;
    },
    (error) => failures.push(error),
  );
});
afterEach(() => vi.useRealTimers());

const rest = () => vi.advanceTimersByTime(200);
function problemOf({ id }: ListedCheckpoint): string | undefined {
  const preview: Preview | null = previews.get(id as CheckpointId);
  return preview !== null && 'problem' in preview ? preview.problem : undefined;
}

/** Lets what is being made come to its end. */
async function made(): Promise<void> {
  finish();
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('makes nothing of what only flies by', async () => {
  previews.want(A);
  vi.advanceTimersByTime(20);
  previews.want(B);
  vi.advanceTimersByTime(20);
  previews.want(C);
  rest();
  expect(begun).toEqual(['c']);
  await made();
  expect(problemOf(C)).toBe('c');
  expect(ready).toBe(1);
});

it('gives up what is no longer wanted, and then makes what is', async () => {
  previews.want(A);
  rest();
  expect(() => previews.check()).not.toThrow();
  previews.want(B);
  rest();
  // One at a time: the second waits for the first to notice.
  expect(begun).toEqual(['a']);
  expect(() => previews.check()).toThrow('not wanted any more');
  await made();
  expect(begun).toEqual(['a', 'b']);
  await made();
  expect([problemOf(A), problemOf(B)]).toEqual([undefined, 'b']);
  expect({ ready, failures }).toEqual({ ready: 1, failures: [] });
});

it('remembers what it made', async () => {
  previews.want(A);
  rest();
  await made();
  previews.want(B);
  previews.want(A);
  rest();
  expect(begun).toEqual(['a']);
});

it('makes nothing once nothing is wanted', async () => {
  previews.want(A);
  previews.want(null);
  rest();
  expect(begun).toEqual([]);
});

it('hands on what fails', async () => {
  const broken = new Previews(
    () => Promise.reject(new Error('broken')),
    () => undefined,
    (error) => failures.push(error),
  );
  broken.want(A);
  rest();
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toEqual([new Error('broken')]);
});
