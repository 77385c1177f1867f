import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asOrdinaryUser } from '../../test/e2e/ordinary-user.ts';
import { openFile, readFile, readFileOrNull } from './read-file.ts';
import { FileWriter, isTemporary, writeFile } from './write-file.ts';

let folder: string;
let at: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-files-'));
  at = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

function contents(): Record<string, string> {
  const names = readdirSync(folder);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

describe('writeFile', () => {
  it('replaces a file as a whole, and says what its stat is', () => {
    writeFileSync(at, 'a longer text from before');
    const stats = writeFile(at, [Buffer.from('new '), Buffer.from('text')]);
    expect(contents()).toEqual({ file: 'new text' });
    expect(stats.ino).toBe(statSync(at, { bigint: true }).ino);
    expect(Number(stats.size)).toBe(8);
  });

  it('lets only the owner in, unless it is given a mode', () => {
    writeFile(at, Buffer.from('x'));
    expect(statSync(at).mode & 0o777).toBe(0o600);
    writeFile(at, Buffer.from('x'), { mode: 0o666 });
    expect(statSync(at).mode & 0o777).toBe(0o666);
  });

  it('takes no name that something has, where it shall be new', () => {
    writeFile(at, Buffer.from('first'), { onlyNew: true });
    expect(() => writeFile(at, Buffer.from('second'), { onlyNew: true })).toThrow('file exists');
    expect(contents()).toEqual({ file: 'first' });
  });

  it('replaces a link, not what it points to', () => {
    writeFileSync(join(folder, 'target'), 'theirs');
    symlinkSync('target', at);
    writeFile(at, Buffer.from('ours'));
    expect(contents()).toEqual({ file: 'ours', target: 'theirs' });
  });

  it('leaves the old file and nothing else when it may not go on', () => {
    writeFileSync(at, 'old');
    const refuse = (): never => {
      throw new Error('not now');
    };
    expect(() => writeFile(at, Buffer.from('new'), { beforeNaming: refuse })).toThrow('not now');
    mkdirSync(join(folder, 'taken'));
    expect(() => writeFile(join(folder, 'taken'), Buffer.from('new'))).toThrow('EISDIR');
    rmSync(join(folder, 'taken'), { recursive: true });
    expect(contents()).toEqual({ file: 'old' });
  });

  it('waits under the name that it is told, and never writes into what has that name', () => {
    const waiting = join(folder, 'waiting');
    writeFileSync(waiting, 'somebody’s');
    expect(() => writeFile(at, Buffer.from('new'), { waiting })).toThrow('EEXIST');
    expect(contents()).toEqual({ waiting: 'somebody’s' });
  });
});

describe('FileWriter', () => {
  it('has no file under the real name until it is finished', () => {
    const writer = new FileWriter(at);
    writer.append(Buffer.from('half'));
    expect(readdirSync(folder).map(isTemporary)).toEqual([true]);
    writer.append(Buffer.from(' and half'));
    writer.finish();
    writer.discard();
    expect(contents()).toEqual({ file: 'half and half' });
  });

  it('leaves nothing when it is discarded, also twice', () => {
    const writer = new FileWriter(at);
    writer.append(Buffer.from('half'));
    writer.discard();
    writer.discard();
    expect(contents()).toEqual({});
    expect(() => writer.append(Buffer.from('more'))).toThrow('discarded');
  });
});

describe('readFile', () => {
  it('reads a file to its end', () => {
    for (const size of [0, 1, 70_000]) {
      writeFileSync(at, Buffer.alloc(size, 'x'));
      expect(readFile(at)).toEqual({ bytes: Buffer.alloc(size, 'x') });
    }
  });

  it('reads a file that says it is empty and is not', () => {
    expect(readFile('/proc/self/status').bytes?.toString()).toContain('Name:');
    expect(readFile('/proc/self/status', { maxBytes: 10 })).toMatchObject({ why: 'too-large' });
  });

  it('says why there is nothing to read', () => {
    expect(readFile(at)).toMatchObject({ bytes: null, why: 'missing' });
    expect(readFile(join(at, 'below'))).toMatchObject({ why: 'missing' });
    expect(readFile(folder)).toMatchObject({ why: 'not-a-file' });
    writeFileSync(at, 'four');
    truncateSync(at, 4);
    expect(readFile(at, { maxBytes: 3 })).toMatchObject({ why: 'too-large' });
    symlinkSync('file', join(folder, 'link'));
    expect(readFile(join(folder, 'link'))).toMatchObject({ why: 'link' });
    expect(readFile(join(folder, 'link'), { followLink: true }).bytes?.toString()).toBe('four');
    expect(readFileOrNull(join(folder, 'link'), {})).toBe(null);
  });

  it('says that it may not look', async () => {
    writeFileSync(at, 'secret');
    chmodSync(at, 0);
    chmodSync(folder, 0o755);
    const found = await asOrdinaryUser(async () => readFile(at));
    expect(found).toMatchObject({ why: 'not-allowed', cause: { code: 'EACCES' } });
  });

  it('gives an open file in chunks, and what it opened stays the same', async () => {
    writeFileSync(at, Buffer.alloc(300_000, 'x'));
    const file = openFile(at);
    if ('why' in file) throw new Error(file.why);
    writeFile(at, Buffer.from('another'));
    const told: number[] = [];
    let length = 0;
    for await (const chunk of file.chunks(async (done) => void told.push(done)))
      length += chunk.length;
    file.close();
    expect([length, told]).toEqual([300_000, [0, 262_144]]);
  });
});
