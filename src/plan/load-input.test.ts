import { describe, expect, it } from 'vitest';
import type { BlobId } from '../model/ids.ts';
import { KeptContents, MOST_KEPT } from './load-input.ts';

const id = (name: string): BlobId => name as BlobId;

describe('KeptContents', () => {
  it('returns the kept bytes', () => {
    const kept = new KeptContents();
    const bytes = new Uint8Array([1]);
    kept.keep(id('a'), bytes);
    expect(kept.get(id('a'))).toBe(bytes);
    expect(kept.get(id('b'))).toBeUndefined();
  });

  it('keeps only contents that fit, also after one that did not', () => {
    const kept = new KeptContents();
    kept.keep(id('a'), new Uint8Array(MOST_KEPT - 1));
    kept.keep(id('large'), new Uint8Array(2));
    kept.keep(id('small'), new Uint8Array(1));
    expect(kept.get(id('large'))).toBeUndefined();
    expect(kept.get(id('small'))).toHaveLength(1);
  });

  it('counts the same content once', () => {
    const kept = new KeptContents();
    const half = new Uint8Array(MOST_KEPT / 2);
    for (let times = 0; times < 3; times += 1) kept.keep(id('a'), half);
    kept.keep(id('b'), half);
    expect(kept.get(id('b'))).toBe(half);
  });
});
