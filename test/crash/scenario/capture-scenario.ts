import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step, ToolFile } from '../child/steps.ts';
import { makePlace, type Place } from './place.ts';

/** What one capture says: for each path the bytes that it must hold, null for nothing. */
export type Contents = Readonly<Record<string, string | null>>;

/** A project without a store yet, and an agent that works in it under two messages. */
export interface CaptureScenario {
  readonly template: Place;
  /** Before the tool, under the first message: links count with what they lead to. */
  readonly first: Contents;
  /** After the tool, under the same. */
  readonly firstAfter: Contents;
  /** Before the tool, under the second message. */
  readonly second: Contents;
  /** The whole of it: open a fresh store, capture, work, capture, capture again, close. */
  readonly steps: readonly Step[];
}

// Past 256 KiB a blob does not lie in the database.
const LARGE = 'a large file of the person\n'.repeat(11_000);
const OTHER_LARGE = 'another large one\n'.repeat(16_000);

const WORK: readonly ToolFile[] = [
  { path: 'small.txt', text: 'by the agent\n', times: 1 },
  { path: 'large.bin', text: 'a large file of the agent\n', times: 12_000 },
  { path: 'link', text: 'written through the link\n', times: 1 },
];

const FIRST_PATHS = ['small.txt', 'large.bin', 'run.sh', 'link', 'new/folder/file.txt'];
const SECOND_PATHS = ['small.txt', 'other.bin'];

export function makeCaptureScenario(folder: string): CaptureScenario {
  const template = makePlace(join(folder, 'capture-template'));
  writeProject(template.project);
  const first = {
    'small.txt': 'by the person\n',
    'large.bin': LARGE,
    'run.sh': '#!/bin/sh\n',
    link: 'target.txt',
    'target.txt': 'at the end of a link\n',
    new: null,
    'new/folder': null,
    'new/folder/file.txt': null,
  };
  const written = Object.fromEntries(
    WORK.map(({ path, text, times }) => [path, text.repeat(times)]),
  );
  const { link: throughLink = '', ...others } = written;
  const firstAfter = { ...first, ...others, 'target.txt': throughLink };
  const second = { 'small.txt': written['small.txt'] ?? null, 'other.bin': OTHER_LARGE };
  return { template, first, firstAfter, second, steps: STEPS };
}

const STEPS: readonly Step[] = [
  { do: 'ready' },
  { do: 'open' },
  { do: 'capture-before', messageId: 'first', paths: FIRST_PATHS },
  { do: 'tool', files: WORK },
  { do: 'capture-after' },
  { do: 'capture-before', messageId: 'second', paths: SECOND_PATHS },
  { do: 'close' },
];

function writeProject(root: string): void {
  writeFileSync(join(root, 'small.txt'), 'by the person\n');
  writeFileSync(join(root, 'large.bin'), LARGE);
  writeFileSync(join(root, 'other.bin'), OTHER_LARGE);
  writeFileSync(join(root, 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(root, 'run.sh'), 0o755);
  writeFileSync(join(root, 'target.txt'), 'at the end of a link\n');
  symlinkSync('target.txt', join(root, 'link'));
  writeFileSync(join(root, 'untouched.txt'), 'nothing to do with it\n');
}
