import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlobId, type LineOrigin, memoryStore } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import { carry } from './transfer.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

function nameOf({ kind, change, checkpoint, reason }: LineOrigin): string {
  if (kind === 'agent') return checkpoint?.messageId ?? 'removed';
  if (kind === 'unknown') return `unknown: ${reason}`;
  return change === null || kind === 'operation' ? kind : 'you';
}

/** Each line with its author. */
async function authors(path: string): Promise<string[]> {
  const { lines, spans } = await bed.savepoint.why({ path });
  return spans.flatMap(({ first, last, origin }) =>
    lines.slice(first - 1, last).map((line) => `${line} (${nameOf(origin)})`),
  );
}

/** A command that may write anything. */
async function command(message: string, work: () => void): Promise<void> {
  const { id } = await bed.savepoint.openWindow({
    sessionId: 'agent',
    messageId: message,
    toolCallId: `call-${message}`,
  });
  work();
  await bed.savepoint.closeWindow(id);
}

const SIX = ['one', 'two', 'three', 'four', 'five', 'six'];
const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const swapped = (from: string, to: string): string =>
  text(...SIX.map((line) => (line === from ? to : line)));

describe('why', () => {
  it('names the prompt, session, tool call and time of each line', async () => {
    bed.put('a', text('old'));
    const more = { toolCallId: 't1', agent: 'codex', description: 'add a line' };
    await bed.tool('m1', ['a'], () => bed.put('a', text('old', 'new')), more);
    const { spans, noLines, lines } = await bed.savepoint.why({ path: 'a' });
    expect(noLines).toBeNull();
    expect(lines).toEqual(['old', 'new']);
    expect(spans).toMatchObject([
      { first: 1, last: 1, origin: { kind: 'before', change: null } },
      {
        first: 2,
        last: 2,
        origin: {
          kind: 'agent',
          change: { toolCallId: 't1', attribution: 'exact', path: 'a' },
          checkpoint: { messageId: 'm1', description: 'add a line' },
          session: { id: 'agent', agent: 'codex' },
        },
      },
    ]);
  });

  it('tells a person from agents, and what nobody has recorded yet', async () => {
    await bed.write('m1', 'a', text('one', 'two', 'three'));
    bed.put('a', text('one', 'mine', 'two', 'three'));
    await bed.write('m2', 'a', text('one', 'mine', 'two', 'THREE'));
    bed.put('a', text('one', 'mine', 'two', 'THREE', 'now'));
    expect(await authors('a')).toEqual([
      'one (m1)',
      'mine (you)',
      'two (m1)',
      'THREE (m2)',
      'now (unrecorded)',
    ]);
  });

  it('knows what was there at the first scan, and that the rest is not recorded yet', async () => {
    bed.put('a', text('old'));
    await bed.savepoint.scan();
    bed.put('a', text('old', 'new'));
    bed.put('b', text('new'));
    expect(await authors('a')).toEqual(['old (before)', 'new (unrecorded)']);
    expect(await authors('b')).toEqual(['new (unrecorded)']);
  });

  it('counts what a tool call that still runs has written as its own', async () => {
    bed.put('a', text('old'));
    const request = { sessionId: 'agent', messageId: 'm1', paths: ['a'], toolCallId: 't' };
    await bed.savepoint.captureBefore(request);
    bed.put('a', text('old', 'half'));
    expect(await authors('a')).toEqual(['old (before)', 'half (m1)']);
  });

  it('gives lines that a rewind brought back to whoever wrote them', async () => {
    await bed.write('m1', 'a', text(...SIX));
    await bed.write('m2', 'a', text('six', 'all', 'new'));
    await bed.rewind('m2');
    expect(new Set(await authors('a'))).toEqual(new Set(SIX.map((line) => `${line} (m1)`)));
    await bed.savepoint.undo();
    expect(await authors('a')).toEqual(['six (m2)', 'all (m2)', 'new (m2)'].with(0, 'six (m1)'));
  });

  it('gives the lines of a merge to both of its sides', async () => {
    bed.put('a', text(...SIX));
    await bed.write('m1', 'a', swapped('one', 'first'));
    await bed.write('m2', 'a', swapped('one', 'first').replace('two', 'AGENT'));
    bed.put('a', bed.text('a').replace('six', 'PERSON'));
    await bed.rewind('m2');
    expect(await authors('a')).toEqual([
      'first (m1)',
      'two (before)',
      'three (before)',
      'four (before)',
      'five (before)',
      'PERSON (you)',
    ]);
  });

  it('says that a person decided what a conflict became', async () => {
    bed.put('a', text('one', 'two'));
    await bed.write('m1', 'a', text('one', 'AGENT'));
    bed.put('a', text('one', 'MINE'));
    const content = Buffer.from(text('one', 'decided'));
    await bed.rewind('m1', { resolutions: [{ path: 'a', take: { content } }] });
    expect(await authors('a')).toEqual(['one (before)', 'decided (operation)']);
  });

  it('follows a file through renames by a person, a command and a tool', async () => {
    await bed.savepoint.scan();
    await bed.write('m1', 'a', text(...SIX));
    renameSync(bed.at('a'), bed.at('b'));
    await bed.savepoint.scan();
    await command('m2', () => {
      renameSync(bed.at('b'), bed.at('c'));
      bed.put('c', swapped('two', 'TWO'));
    });
    await bed.tool('m3', ['c', 'd'], () => renameSync(bed.at('c'), bed.at('d')), {
      toolCallId: 't3',
    });
    expect(await authors('d')).toEqual(
      SIX.map((line) => (line === 'two' ? 'TWO (m2)' : `${line} (m1)`)),
    );
    const history = await bed.savepoint.fileHistory('d');
    expect(
      history.map(({ kind, from, change, checkpoint, insertions, deletions }) => [
        kind,
        from,
        change.path,
        checkpoint?.messageId ?? change.origin,
        insertions,
        deletions,
      ]),
    ).toEqual([
      ['renamed', 'c', 'd', 'm3', 0, 0],
      ['renamed', 'b', 'c', 'm2', 1, 1],
      ['renamed', 'a', 'b', 'outside', 0, 0],
      ['created', null, 'a', 'm1', 6, 0],
    ]);
  });

  it('does not take a new file for a renamed one', async () => {
    await bed.savepoint.scan();
    await bed.write('m1', 'a', text(...SIX));
    await command('m2', () => {
      rmSync(bed.at('a'));
      bed.put('b', text('one', 'quite', 'another', 'file'));
    });
    expect(await authors('b')).toEqual(
      ['one', 'quite', 'another', 'file'].map((line) => `${line} (m2)`),
    );
  });

  it('sees a rename in one call without an id, and none across two of them', async () => {
    let time = 1_000;
    await bed.reopen({ now: () => time++ });
    await bed.write('m1', 'a', text(...SIX));
    await bed.tool('m2', ['a', 'b'], () => renameSync(bed.at('a'), bed.at('b')));
    expect(await authors('b')).toEqual(SIX.map((line) => `${line} (m1)`));
    await bed.tool('m3', ['b'], () => rmSync(bed.at('b')));
    await bed.write('m3', 'c', text(...SIX));
    expect(await authors('c')).toEqual(SIX.map((line) => `${line} (m3)`));
  });

  it('brings the author back with a rename that is taken back', async () => {
    await bed.savepoint.scan();
    await bed.write('m1', 'a', text(...SIX));
    await command('m2', () => renameSync(bed.at('a'), bed.at('b')));
    await bed.rewind('m2');
    expect(await authors('a')).toEqual(SIX.map((line) => `${line} (m1)`));
    await bed.savepoint.undo();
    expect(await authors('b')).toEqual(SIX.map((line) => `${line} (m1)`));
  });

  it('says what it cannot know', async () => {
    await bed.reopen({ maxFileSize: 100 });
    await bed.write('m1', 'a', text('one', 'two'));
    await bed.write('m2', 'a', text('x'.repeat(200)));
    await bed.write('m3', 'a', text('one', 'later'));
    await bed.write('m4', 'a', text('one', 'later', 'known'));
    expect(await authors('a')).toEqual(['one (m1)', 'later (unknown: too-large)', 'known (m4)']);
  });

  it('says what was purged', async () => {
    await bed.write('m1', 'a', text('one'));
    await bed.write('m2', 'a', text('one', 'two'));
    await bed.savepoint.purge({ paths: ['a'] });
    expect(await authors('a')).toEqual(['one (unknown: purged)', 'two (unknown: purged)']);
    await bed.write('m3', 'a', text('one', 'two', 'three'));
    expect(await authors('a')).toEqual([
      'one (unknown: purged)',
      'two (unknown: purged)',
      'three (m3)',
    ]);
  });

  it('says how sure it is', async () => {
    await bed.savepoint.scan();
    await command('m1', () => bed.put('a', text('one')));
    const [sure] = (await bed.savepoint.why({ path: 'a' })).spans;
    expect(sure?.origin.change?.attribution).toBe('inferred');
    const other = { sessionId: 'other', messageId: 'o1' };
    const window = await bed.savepoint.openWindow(other);
    await command('m2', () => bed.put('a', text('one', 'two')));
    await bed.savepoint.closeWindow(window.id);
    const [, doubtful] = (await bed.savepoint.why({ path: 'a' })).spans;
    expect(doubtful?.origin.change).toMatchObject({
      attribution: 'shared',
      coAuthors: [{ sessionId: expect.any(String) }],
    });
  });

  it('says so where older changes are not kept', async () => {
    bed.put('a', text('old'));
    await bed.savepoint.scan();
    await bed.write('m1', 'a', text('old', 'one'));
    await bed.write('m2', 'a', text('old', 'one', 'two'));
    await bed.write('m2', 'b', text('new'));
    await bed.write('m3', 'a', text('old', 'one', 'two', 'three'));
    await bed.write('m3', 'b', text('new', 'newer'));
    await bed.savepoint.evict([await bed.idOf('m1'), await bed.idOf('m2')]);
    await bed.savepoint.prune({ keep: 1 });
    expect(await authors('a')).toEqual([
      'old (before)',
      'one (unknown: not-kept)',
      'two (unknown: not-kept)',
      'three (m3)',
    ]);
    expect(await authors('b')).toEqual(['new (unknown: not-kept)', 'newer (m3)']);
  });

  it('keeps to the history of this machine where an import has another one', async () => {
    const elsewhere = await makeBed();
    try {
      await elsewhere.write('e1', 'a', text('foreign'));
      await elsewhere.write('e2', 'b', text('same'));
      bed.put('b', text('same'));
      await bed.tool('m1', ['a'], () => bed.put('a', text('local')), { sessionId: 'here' });
      await carry(elsewhere, bed);
      expect(await authors('a')).toEqual(['local (m1)']);
      expect(await authors('b')).toEqual(['same (e2)']);
    } finally {
      await elsewhere.remove();
    }
  });

  it('reads each content once, and none that it does not need', async () => {
    const store = await memoryStore();
    const reads: string[] = [];
    const { read } = store.blobs;
    store.blobs.read = (id: BlobId) => {
      reads.push(id);
      return read(id);
    };
    await bed.reopen({ store });
    const lines = [...SIX];
    for (const [i] of Array.from({ length: 40 }).entries()) {
      lines[i % SIX.length] = `line ${i}`;
      await bed.write(`m${i}`, 'a', text('kept', ...lines));
    }
    reads.length = 0;
    expect(await authors('a')).toHaveLength(7);
    expect(reads).toHaveLength(39);
    expect(new Set(reads).size).toBe(39);
    reads.length = 0;
    await bed.savepoint.why({ path: 'a', first: (39 % SIX.length) + 2 });
    expect(reads).toHaveLength(1);
  });

  it('answers for some lines only', async () => {
    await bed.write('m1', 'a', text(...SIX));
    const { spans } = await bed.savepoint.why({ path: 'a', first: 2, last: 99 });
    expect(spans).toMatchObject([{ first: 2, last: 6 }]);
    const one = await bed.savepoint.why({ path: 'a', first: 3 });
    expect(one.spans).toMatchObject([{ first: 3, last: 3 }]);
    await expect(bed.savepoint.why({ path: 'a', first: 7 })).rejects.toMatchObject({
      code: 'argument-invalid',
      message: 'there is no such line: the file has 6 lines',
    });
  });

  it('says why something has no lines', async () => {
    bed.put('folder/empty', '');
    bed.put('binary', Uint8Array.of(1, 0, 2));
    symlinkSync('empty', bed.at('link'));
    const noLines = async (path: string) => (await bed.savepoint.why({ path })).noLines;
    expect(await noLines('gone')).toBe('absent');
    expect(await noLines('folder')).toBe('directory');
    expect(await noLines('link')).toBe('symlink');
    expect(await noLines('binary')).toBe('binary');
    expect(await noLines('folder/empty')).toBeNull();
    await expect(bed.savepoint.why({ path: `${bed.outside}/x` })).rejects.toMatchObject({
      code: 'file-missing',
    });
  });
});
