import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { ERROR_CODES, SavepointError } from '../../src/index.ts';
import { type Bed, makeBed } from '../e2e/engine-bed.ts';
import { canaryOf, type Tree } from '../e2e/tree-of.ts';

/**
 * A new project for each case, with a repository in it and a folder beside it. After each case both
 * must be as they were, byte for byte: no file, no mode, no time of change may differ.
 */
export function hostileBed(): () => Bed {
  let bed: Bed;
  let canaries: Tree[];
  beforeEach(async () => {
    bed = await makeBed();
    plant(bed);
    canaries = guarded(bed).map(canaryOf);
  });
  afterEach(async () => {
    expect(guarded(bed).map(canaryOf)).toEqual(canaries);
    await bed.remove();
  });
  return () => bed;
}

function guarded(bed: Bed): string[] {
  return [bed.outside, bed.at('.git')];
}

function plant(bed: Bed): void {
  writeFileSync(join(bed.outside, 'passwd'), 'root:x:0:0\n', { mode: 0o640 });
  mkdirSync(join(bed.outside, 'dir/deep'), { recursive: true });
  writeFileSync(join(bed.outside, 'dir/file'), 'outside\n');
  writeFileSync(join(bed.outside, 'dir/deep/file'), 'outside\n');
  symlinkSync('passwd', join(bed.outside, 'link'));
  bed.put('.git/config', '[core]\n');
  bed.put('.git/hooks/pre-commit', '#!/bin/sh\n', 0o755);
}

/** Runs what must be refused, and gives the refusal: typed, and safe to print as it is. */
export async function refusalOf(work: () => unknown, what?: string): Promise<SavepointError> {
  const error = await failureOf(work);
  expect(error, what).toBeInstanceOf(SavepointError);
  const refusal = error as SavepointError;
  expect(Object.keys(ERROR_CODES)).toContain(refusal.code);
  expectPrintable(refusal.message);
  expectPrintable(refusal.hint ?? '');
  return refusal;
}

async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return new Error('it was not refused');
}

// Written anew and not taken from the sanitizer, which is what it is to check. Controls, marks that
// turn the direction of text, signs without width, and halves of characters.
const STEERING =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff\ud800-\udfff]/;

export function expectPrintable(text: string): void {
  // Emoji are made of two halves each; only those that stand alone are broken.
  const pairs = text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '');
  expect(STEERING.exec(pairs)?.[0] ?? null).toBeNull();
}
