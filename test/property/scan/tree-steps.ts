import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { pathToBytes } from '../../../src/model/path.ts';

/** One thing that somebody does to a tree. */
export interface Step {
  readonly kind: 'write' | 'rules' | 'delete' | 'folder' | 'link' | 'chmod' | 'rename' | 'wait';
  readonly path: readonly string[];
  readonly to: readonly string[];
  readonly text: string;
}

// Few names, so that steps meet; some that sort differently as folders, and one that is not UTF-8.
const NAMES = [
  'a',
  'a-',
  'a.log',
  'b',
  'out',
  'target',
  'package.json',
  'Cargo.toml',
  '\udcff',
  '😀',
  '\ue000',
];
const RULE_FILES = ['.gitignore', '.savepointignore'];
const RULES = [
  '*.log',
  'out/',
  '/b',
  'a',
  '!a',
  '!*.log',
  '!out/',
  'target',
  '!target/',
  'a/b',
  '.gitignore',
  'b/**',
  '# x',
];

const paths = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
const texts = fc.constantFrom('', 'one', 'two', 'three');
const rules = fc
  .array(fc.constantFrom(...RULES), { maxLength: 3 })
  .map((lines) => lines.join('\n'));
const ruleFiles = fc
  .tuple(fc.array(fc.constantFrom(...NAMES), { maxLength: 2 }), fc.constantFrom(...RULE_FILES))
  .map(([folder, name]) => [...folder, name]);

const kinds = fc.constantFrom(
  'write',
  'write',
  'write',
  'delete',
  'delete',
  'folder',
  'link',
  'chmod',
  'rename',
  'wait',
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kinds as fc.Arbitrary<Step['kind']>,
      path: paths,
      to: paths,
      text: texts,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rules' as const),
      path: ruleFiles,
      to: paths,
      text: rules,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('delete' as const, 'rename' as const),
      path: ruleFiles,
      to: ruleFiles,
      text: texts,
    }),
  },
);

/** Rounds of steps, with a scan after each. */
export const rounds: fc.Arbitrary<Step[][]> = fc.array(
  fc.array(steps, { minLength: 1, maxLength: 12 }),
  {
    minLength: 2,
    maxLength: 5,
  },
);

/** Does a step; what cannot be done, because a file is in the way for example, is left out. */
export function doStep(root: string, { kind, path, to, text }: Step): void {
  const at = place(root, path);
  try {
    if (kind === 'write' || kind === 'rules') {
      mkdirSync(dirnameOf(at), { recursive: true });
      writeFileSync(at, text);
    } else if (kind === 'delete') rmSync(at, { recursive: true });
    else if (kind === 'folder') mkdirSync(at, { recursive: true });
    else if (kind === 'link') symlinkSync(text === '' ? '.' : text, at);
    else if (kind === 'chmod') changeMode(at, text);
    else if (kind === 'rename') renameSync(at, place(root, to));
    else waitForTick();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

function place(root: string, path: readonly string[]): Buffer {
  return Buffer.from(pathToBytes(join(root, ...path)));
}

function dirnameOf(at: Buffer): Buffer {
  return at.subarray(0, at.lastIndexOf('/'));
}

/** Not of links, since that would change what they lead to. */
function changeMode(at: Buffer, text: string): void {
  if (!lstatSync(at).isSymbolicLink()) chmodSync(at, text.length % 2 === 0 ? 0o700 : 0o755);
}

/** Longer than the racy rule's tick: some files are quiet, others are not. */
function waitForTick(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
}
