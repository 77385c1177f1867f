import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { edited } from '../../bench/scan/edit.ts';
import { sizesWanted } from '../../bench/scan/sizes.ts';
import { fileName, fileSize, middlingFiles } from '../../bench/scan/tree.ts';
import { mixedText } from '../../bench/source-text.ts';

const FILES = 1_000;
const ALL = Array.from({ length: FILES }, (_, index) => index);

describe('the trees that the scan is measured in', () => {
  it('have ten files in each folder, and folders two deep', () => {
    const folders = Map.groupBy(ALL.map(fileName), (name) => dirname(name));
    expect(folders.size).toBe(FILES / 10);
    for (const [folder, names] of folders) {
      expect(folder.split('/')).toHaveLength(2);
      expect(new Set(names).size).toBe(10);
    }
  });

  it('have files of the sizes of sources, all different from each other from end to end', () => {
    const sizes = ALL.map(fileSize);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(512);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(40 * 1024);
    const tails = ALL.map((index) =>
      mixedText(2_000, index + 1)
        .toString('latin1')
        .slice(-100),
    );
    expect(new Set(tails).size).toBe(FILES);
    expect(mixedText(2_000, 7)).toEqual(mixedText(2_000, 7));
  });

  it('have files of 4 to 40 KiB to work on, in many folders', () => {
    const names = middlingFiles(FILES, 50);
    expect(new Set(names).size).toBe(50);
    expect(new Set(names.map((name) => dirname(name))).size).toBeGreaterThan(25);
    const size = new Map(ALL.map((index) => [fileName(index), fileSize(index)]));
    const sizes = names.map((name) => size.get(name) ?? 0);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(4 * 1024);
    expect(Math.max(...sizes)).toBeGreaterThan(16 * 1024);
  });

  it('are of the sizes that were asked for, the smallest first', () => {
    expect(sizesWanted('')).toEqual([1_000, 10_000, 100_000]);
    expect(sizesWanted('5000,10,10')).toEqual([10, 5_000]);
    for (const text of ['many', '0', '10,,20']) expect(() => sizesWanted(text)).toThrow('SIZES');
  });
});

describe('an edit', () => {
  it('leaves most lines alone, and always changes something', () => {
    let text = mixedText(4_096, 1).toString('latin1');
    for (const seed of [3, 3, 4]) {
      const before = text.split('\n');
      text = edited(text, seed);
      const after = new Set(text.split('\n'));
      expect(text).not.toBe(before.join('\n'));
      expect(before.filter((line) => !after.has(line)).length).toBeLessThan(7);
    }
  });
});
