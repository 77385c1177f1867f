import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFreeingLater } from './entries.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-free-later-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** How many files of the folder this process holds. */
function heldFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${folder}/`);
    } catch {
      return false;
    }
  }).length;
}

function plant(count: number): string[] {
  const paths = Array.from({ length: count }, (_, nth) => join(folder, `file-${nth}`));
  for (const path of paths) writeFileSync(path, 'x');
  return paths;
}

describe('removeFreeingLater', () => {
  it('has taken the name away when it returns', () => {
    const [path = ''] = plant(1);
    removeFreeingLater(path);
    expect(existsSync(path)).toBe(false);
  });

  it('does not mind what is gone already', () => {
    expect(() => removeFreeingLater(join(folder, 'nothing'))).not.toThrow();
  });

  it.runIf(process.platform === 'linux')('holds few files, and none for long', async () => {
    for (const path of plant(100)) removeFreeingLater(path);
    expect(readdirSync(folder)).toEqual([]);
    expect(heldFiles()).toBeLessThanOrEqual(6);
    for (let tries = 0; tries < 500 && heldFiles() > 0; tries += 1) await setTimeout(10);
    expect(heldFiles()).toBe(0);
  });

  it('throws what keeps a name from being removed', () => {
    expect(() => removeFreeingLater(folder)).toThrow(/EISDIR|EPERM/);
  });
});
