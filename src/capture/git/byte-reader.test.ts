import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'vitest';
import { ByteReader } from './byte-reader.ts';

describe('reading a stream in pieces', () => {
  it('joins and splits chunks as it is asked', async () => {
    const reader = readerOf('ab', 'c\nde', 'f', 'ghi\n');
    assert.equal(String(await reader.until(10)), 'abc');
    assert.equal(String(await reader.take(1)), 'd');
    assert.equal(String(await reader.take(4)), 'efgh');
    assert.equal(String(await reader.take(0)), '');
    assert.equal(String(await reader.until(10)), 'i');
  });

  it('gives nothing rather than less when the stream ends', async () => {
    assert.equal(await readerOf('abc').until(10), null);
    assert.equal(await readerOf('abc').take(4), null);
  });

  it('takes a stream that breaks off for one that ends', async () => {
    const stream = new Readable({ read: () => {} });
    const reader = new ByteReader(stream);
    stream.push('abc');
    stream.destroy();
    assert.equal(await reader.take(4), null);
  });
});

function readerOf(...chunks: string[]): ByteReader {
  return new ByteReader(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
}
