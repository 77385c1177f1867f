import { chmodSync, existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlanHunk, PlanLine, Receipt, RewindRequest } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', ''].join(
  '\n',
);
const CHANGED = LINES.replace('two', 'TWO').replace('five', 'FIVE').replace('eight', 'EIGHT');

async function lineOf(message: string, path: string): Promise<PlanLine> {
  const { lines } = await bed.savepoint.planRewind({ to: await bed.idOf(message) });
  const line = lines.find((one) => one.path === path);
  if (line === undefined) throw new Error(`no line for ${path}`);
  return line;
}

async function hunksOf(message: string, path = 'file'): Promise<PlanHunk[]> {
  return bed.savepoint.planHunks(await lineOf(message, path));
}

/** The hunk with this line in it. */
function holding(hunks: readonly PlanHunk[], text: string): string {
  const found = hunks.find(({ lines }) =>
    lines.some((line) => line.kind !== 'context' && line.text === text),
  );
  return found?.id ?? `no hunk with ${text}`;
}

function take(
  message: string,
  ids: readonly string[],
  more: Partial<RewindRequest> = {},
): Promise<Receipt> {
  return bed.rewind(message, { hunks: [{ path: 'file', ids }], ...more });
}

async function takenBack(message: string): Promise<string> {
  const [found] = await bed.savepoint.list({ messageId: message });
  return found?.takenBack ?? 'none';
}

describe('the hunks of a line', () => {
  it('are its runs of changed lines, in order, with the lines around them', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    const hunks = await hunksOf('m1');
    expect(hunks.map(({ kind }) => kind)).toEqual(['lines', 'lines', 'lines']);
    expect(hunks[1]).toMatchObject({ oldStart: 3, oldLines: 5, newStart: 3, newLines: 5 });
    expect(hunks[1]?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'context three',
      'context four',
      'remove five',
      'add FIVE',
      'context six',
      'context seven',
    ]);
    const bare = await bed.savepoint.planHunks(await lineOf('m1', 'file'), 0);
    expect(bare[1]).toMatchObject({ id: hunks[1]?.id, oldStart: 5, oldLines: 1, newStart: 5 });
  });

  it('keep their ids when another hunk is taken back', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED.replace('TWO', 'TWO\nMORE\nAND MORE'));
    const before = await hunksOf('m1');
    await take('m1', [before[0]?.id ?? '']);
    expect((await hunksOf('m1')).map(({ id }) => id)).toEqual(before.slice(1).map(({ id }) => id));
  });

  it('have other ids once the file is another, or the path', async () => {
    bed.put('file', LINES);
    bed.put('other', LINES);
    await bed.write('m1', 'file', CHANGED);
    await bed.write('m1', 'other', CHANGED);
    const ids = new Set((await hunksOf('m1')).map(({ id }) => id));
    expect((await hunksOf('m1', 'other')).some(({ id }) => ids.has(id))).toBe(false);
    await bed.write('m1', 'file', CHANGED.replace('TWO', 'TWICE'));
    expect((await hunksOf('m1')).map(({ id }) => ids.has(id))).toEqual([false, true, true]);
  });

  it('are one for what cannot be divided', async () => {
    bed.put('gone', 'text\n');
    bed.put('binary', Buffer.from([0, 1]));
    bed.put('large', 'a line\n'.repeat(400_000));
    bed.put('mode', 'text\n', 0o644);
    await bed.write('m1', 'new', 'one\n\ntwo\n');
    await bed.tool('m1', ['gone'], () => rmSync(bed.at('gone')));
    await bed.write('m1', 'binary', Buffer.from([0, 2]));
    await bed.write('m1', 'large', 'another\n'.repeat(300_000));
    await bed.tool('m1', ['mode'], () => chmodSync(bed.at('mode'), 0o755));
    const kinds = async (path: string) => (await hunksOf('m1', path)).map(({ kind }) => kind);
    for (const path of ['new', 'gone', 'binary', 'large'])
      expect(await kinds(path)).toEqual(['whole']);
    expect(await kinds('mode')).toEqual(['mode']);
    expect((await hunksOf('m1', 'new'))[0]?.lines).toHaveLength(3);
    expect((await hunksOf('m1', 'large'))[0]?.lines).toEqual([]);
  });

  it('are none for a line that does nothing, and refused for a file that changed', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    const line = await lineOf('m1', 'file');
    bed.put('file', 'another\n');
    await expect(bed.savepoint.planHunks(line)).rejects.toMatchObject({ code: 'plan-stale' });
    expect(await hunksOf('m1')).toEqual([]);
  });
});

describe('a rewind of some hunks', () => {
  it('leaves the others, and an undo brings the bytes back', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    const receipt = await take('m1', [holding(await hunksOf('m1'), 'FIVE')]);
    expect(receipt).toMatchObject({ success: true, mergedFiles: ['file'], restoredFiles: [] });
    expect(bed.text('file')).toBe(CHANGED.replace('FIVE', 'five'));
    expect(await takenBack('m1')).toBe('partly');
    await bed.savepoint.undo();
    expect(bed.text('file')).toBe(CHANGED);
    expect(await takenBack('m1')).toBe('no');
    await bed.savepoint.redo();
    expect(bed.text('file')).toBe(CHANGED.replace('FIVE', 'five'));
  });

  it('lets the rest be taken back later, to the byte', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    await take('m1', [holding(await hunksOf('m1'), 'FIVE')]);
    const receipt = await bed.rewind('m1');
    expect(receipt.restoredFiles).toEqual(['file']);
    expect(bed.text('file')).toBe(LINES);
    expect(await takenBack('m1')).toBe('yes');
    await bed.savepoint.undo();
    expect(bed.text('file')).toBe(CHANGED.replace('FIVE', 'five'));
    expect(await takenBack('m1')).toBe('partly');
    await bed.savepoint.undo();
    expect(bed.text('file')).toBe(CHANGED);
  });

  it('has taken back the message once the last hunk went', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    for (const text of ['EIGHT', 'TWO', 'FIVE']) {
      expect(await takenBack('m1')).toBe(text === 'EIGHT' ? 'no' : 'partly');
      await take('m1', [holding(await hunksOf('m1'), text)]);
    }
    expect(bed.text('file')).toBe(LINES);
    expect(await takenBack('m1')).toBe('yes');
  });

  it('with all of them is the rewind of the file, and with none of them does nothing', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    const to = await bed.idOf('m1');
    const ids = (await hunksOf('m1')).map(({ id }) => id);
    const { lines } = await bed.savepoint.planRewind({ to });
    const all = await bed.savepoint.planRewind({ to, hunks: [{ path: 'file', ids }] });
    expect(all.lines).toEqual(lines);
    const none = await take('m1', []);
    expect(none).toMatchObject({ operationId: null, mergedFiles: [], restoredFiles: [] });
    expect(bed.text('file')).toBe(CHANGED);
  });

  it('takes other files whole', async () => {
    bed.put('file', LINES);
    bed.put('other', LINES);
    await bed.write('m1', 'file', CHANGED);
    await bed.write('m1', 'other', CHANGED);
    await take('m1', [holding(await hunksOf('m1'), 'TWO')]);
    expect(bed.text('other')).toBe(LINES);
    expect(bed.text('file')).toBe(CHANGED.replace('TWO', 'two'));
  });

  it('refuses a hunk that was taken back, and one of another file', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    const id = holding(await hunksOf('m1'), 'FIVE');
    await take('m1', [id]);
    await expect(take('m1', [id])).rejects.toMatchObject({ code: 'hunk-not-found', path: 'file' });
    const strange = bed.rewind('m1', { hunks: [{ path: 'nowhere', ids: [id] }] });
    await expect(strange).rejects.toMatchObject({ code: 'hunk-not-found', path: 'nowhere' });
    expect(bed.text('file')).toBe(CHANGED.replace('FIVE', 'five'));
  });

  it('refuses two choices for one path', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    const ids = (await hunksOf('m1')).map(({ id }) => id);
    const hunks = ['file', './file'].map((path, i) => ({ path, ids: ids.slice(i, i + 1) }));
    const refused = bed.rewind('m1', { hunks });
    await expect(refused).rejects.toMatchObject({ code: 'argument-invalid', path: 'file' });
    expect(bed.text('file')).toBe(CHANGED);
  });

  it('is a plan that apply carries out, or refuses when the file changed', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    const ids = [holding(await hunksOf('m1'), 'FIVE')];
    const request = { to: await bed.idOf('m1'), hunks: [{ path: 'file', ids }] };
    const stale = await bed.savepoint.planRewind(request);
    expect(stale.lines[0]).toMatchObject({ action: 'merge', hunks: ids });
    bed.put('file', `${CHANGED}more\n`);
    await expect(bed.savepoint.apply(stale)).rejects.toMatchObject({ code: 'plan-stale' });
    expect(bed.text('file')).toBe(`${CHANGED}more\n`);
    await bed.savepoint.apply(await bed.savepoint.planRewind(request));
    expect(bed.text('file')).toBe(`${CHANGED.replace('FIVE', 'five')}more\n`);
  });
});

describe("a person's lines", () => {
  it('survive a rewind of hunks and of the rest, before and after', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    bed.put('file', CHANGED.replace('three\n', 'three\nMINE\n'));
    await take('m1', [holding(await hunksOf('m1'), 'TWO')]);
    expect(bed.text('file')).toBe(
      CHANGED.replace('TWO', 'two').replace('three\n', 'three\nMINE\n'),
    );
    bed.put('file', bed.text('file').replace('six\n', 'six\nMINE TOO\n'));
    await bed.rewind('m1');
    expect(bed.text('file')).toBe(
      LINES.replace('three\n', 'three\nMINE\n').replace('six\n', 'six\nMINE TOO\n'),
    );
  });

  it('are in no hunk, also where the agent moved lines past them in two messages', async () => {
    const block = 'l1\nl2\nl3\nl4\nl5\nl6\n';
    bed.put('file', `s1\ns2\n${block}t\n`);
    await bed.write('m1', 'file', 's1\ns2\nt\n');
    bed.put('file', 's1\nmine\ns2\nt\n');
    await bed.write('m2', 'file', `${block}s1\nmine\ns2\nt\n`);
    const hunks = await hunksOf('m1');
    expect(holding(hunks, 'mine')).toBe('no hunk with mine');
    await take('m1', [holding(hunks, 'l1')]);
    expect(bed.text('file')).toBe('s1\nmine\ns2\nt\n');
    await take(
      'm1',
      (await hunksOf('m1')).map(({ id }) => id),
    );
    expect(bed.text('file')).toBe(`s1\nmine\ns2\n${block}t\n`);
  });

  it('in place of a hunk that went stay', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', CHANGED);
    await take('m1', [holding(await hunksOf('m1'), 'FIVE')]);
    bed.put('file', bed.text('file').replace('five', 'MINE'));
    await bed.rewind('m1');
    expect(bed.text('file')).toBe(LINES.replace('five', 'MINE'));
  });
});

describe('several messages on one file', () => {
  it('give hunks of both, and each message can go by itself afterwards', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', LINES.replace('two', 'TWO').replace('five', 'FIVE'));
    await bed.write('m2', 'file', bed.text('file').replace('eight', 'EIGHT'));
    await take('m1', [holding(await hunksOf('m1'), 'FIVE')]);
    expect(await takenBack('m1')).toBe('partly');
    await bed.rewind('m2', { take: 'message' });
    expect(bed.text('file')).toBe(LINES.replace('two', 'TWO'));
    await bed.rewind('m1');
    expect(bed.text('file')).toBe(LINES);
  });

  it('leave a hunk of an earlier message taken back when the later one goes', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', LINES.replace('two', 'TWO').replace('five', 'FIVE'));
    await take('m1', [holding(await hunksOf('m1'), 'FIVE')]);
    await bed.write('m2', 'file', bed.text('file').replace('eight', 'EIGHT'));
    await bed.rewind('m2');
    expect(bed.text('file')).toBe(LINES.replace('two', 'TWO'));
    await bed.rewind('m1');
    expect(bed.text('file')).toBe(LINES);
  });
});

describe('a hunk of one of several messages', () => {
  const at = (places: Record<string, string>): string =>
    Object.entries(places).reduce((all, [from, to]) => all.replace(from, to), LINES);

  it('leaves the others as they were, and so do undo and redo', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', at({ two: 'TWO' }));
    await bed.write('m2', 'file', at({ two: 'TWO', eight: 'EIGHT' }));
    await take('m1', [holding(await hunksOf('m1'), 'EIGHT')]);
    expect([await takenBack('m1'), await takenBack('m2')]).toEqual(['no', 'partly']);
    const took = await bed.savepoint.tookBack(await bed.savepoint.operations());
    expect([...took.values()]).toEqual([[await bed.idOf('m2')]]);
    await bed.savepoint.undo();
    expect([await takenBack('m1'), await takenBack('m2')]).toEqual(['no', 'no']);
    expect(bed.text('file')).toBe(at({ two: 'TWO', eight: 'EIGHT' }));
    await bed.savepoint.redo();
    expect([await takenBack('m1'), await takenBack('m2')]).toEqual(['no', 'partly']);
    expect(bed.text('file')).toBe(at({ two: 'TWO' }));
    await bed.rewind('m1');
    expect(bed.text('file')).toBe(LINES);
    expect([await takenBack('m1'), await takenBack('m2')]).toEqual(['yes', 'yes']);
  });

  it('can be of the first, the last or the one between, whatever a person did', async () => {
    for (const [text, expected] of [
      ['TWO', ['partly', 'no', 'no']],
      ['FIVE', ['no', 'partly', 'no']],
      ['EIGHT', ['no', 'no', 'partly']],
    ] as const) {
      bed.put('file', LINES);
      const names = [1, 2, 3].map((number) => `${text}${number}`);
      const [first = '', second = '', third = ''] = names;
      await bed.write(first, 'file', at({ two: 'TWO' }));
      bed.put('file', at({ two: 'TWO', three: 'three\nMINE' }));
      await bed.write(second, 'file', at({ two: 'TWO', three: 'three\nMINE', five: 'FIVE' }));
      await bed.write(third, 'file', bed.text('file').replace('eight', 'EIGHT'));
      await take(first, [holding(await hunksOf(first), text)]);
      expect(await Promise.all(names.map(takenBack))).toEqual(expected);
      await bed.rewind(first);
      expect(bed.text('file')).toBe(at({ three: 'three\nMINE' }));
    }
  });

  it('is of all that worked on the same lines', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', at({ five: 'FIVE' }));
    await bed.write('m2', 'file', at({ two: 'TWO', five: 'FIVE' }));
    await bed.write('m3', 'file', at({ two: 'TWO', five: 'FIFTH' }));
    await take('m1', [holding(await hunksOf('m1'), 'FIFTH')]);
    expect(bed.text('file')).toBe(at({ two: 'TWO' }));
    expect(await Promise.all(['m1', 'm2', 'm3'].map(takenBack))).toEqual([
      'partly',
      'no',
      'partly',
    ]);
  });

  it('is of the last one where a line went back and forth', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', at({ five: 'FIVE' }));
    await bed.write('m2', 'file', at({ two: 'TWO' }));
    await bed.write('m3', 'file', at({ two: 'TWO', five: 'FIVE' }));
    await take('m1', [holding(await hunksOf('m1'), 'FIVE')]);
    expect(await Promise.all(['m1', 'm2', 'm3'].map(takenBack))).toEqual(['no', 'no', 'partly']);
  });

  it('can be the permissions', async () => {
    bed.put('file', LINES, 0o644);
    await bed.write('m1', 'file', at({ two: 'TWO' }));
    await bed.tool('m2', ['file'], () => chmodSync(bed.at('file'), 0o755));
    await bed.write('m3', 'file', at({ two: 'TWO', five: 'FIVE' }));
    const [mode] = await hunksOf('m1');
    await take('m1', [mode?.id ?? '']);
    expect(await Promise.all(['m1', 'm2', 'm3'].map(takenBack))).toEqual(['no', 'partly', 'no']);
    await bed.rewind('m1');
    expect([bed.text('file'), statSync(bed.at('file')).mode & 0o777]).toEqual([LINES, 0o644]);
  });

  it('goes with a rewind of its own message alone, which brings the bytes back', async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', at({ two: 'TWO' }));
    const second = at({ two: 'TWO', five: 'FIVE', eight: 'EIGHT' });
    await bed.write('m2', 'file', second);
    await take('m1', [holding(await hunksOf('m1'), 'EIGHT')]);
    const receipt = await bed.rewind('m2');
    expect(receipt.restoredFiles).toEqual(['file']);
    expect(bed.text('file')).toBe(at({ two: 'TWO' }));
    expect([await takenBack('m1'), await takenBack('m2')]).toEqual(['no', 'yes']);
  });
});

describe('a checkpoint made by hand', () => {
  it('before the change takes the rest back, and after it brings the hunk back', async () => {
    bed.put('file', LINES);
    const first = await bed.savepoint.checkpoint();
    await bed.write('m1', 'file', CHANGED);
    const second = await bed.savepoint.checkpoint();
    await take('m1', [holding(await hunksOf('m1'), 'FIVE')]);
    await bed.savepoint.rewind({ to: second.id });
    expect(bed.text('file')).toBe(CHANGED);
    await bed.savepoint.undo();
    await bed.savepoint.rewind({ to: first.id });
    expect(bed.text('file')).toBe(LINES);
  });
});

describe('odd files', () => {
  it('keep their line ends, and an end without one', async () => {
    const before = 'a\r\nb\nc\r\nd\ne';
    bed.put('file', before);
    await bed.write('m1', 'file', 'A\r\nb\nc\r\nd\nE\n');
    await take('m1', [holding(await hunksOf('m1'), 'e')]);
    expect(bed.text('file')).toBe('A\r\nb\nc\r\nd\ne');
    await bed.savepoint.undo();
    await take('m1', [holding(await hunksOf('m1'), 'A\r')]);
    expect(bed.text('file')).toBe('a\r\nb\nc\r\nd\nE\n');
  });

  it('give back the mode or the lines alone', async () => {
    bed.put('file', LINES, 0o644);
    await bed.tool('m1', ['file'], () => bed.put('file', CHANGED, 0o755));
    const [mode, ...lines] = await hunksOf('m1');
    expect(mode?.kind).toBe('mode');
    const permissions = () => statSync(bed.at('file')).mode & 0o777;
    expect((await take('m1', [mode?.id ?? ''])).restoredFiles).toEqual(['file']);
    expect([bed.text('file'), permissions()]).toEqual([CHANGED, 0o644]);
    await bed.savepoint.undo();
    await take(
      'm1',
      lines.map(({ id }) => id),
    );
    expect([bed.text('file'), permissions()]).toEqual([LINES, 0o755]);
    await bed.rewind('m1');
    expect([bed.text('file'), permissions()]).toEqual([LINES, 0o644]);
  });

  it("give back the mode alone where a person's lines are merged", async () => {
    bed.put('file', LINES, 0o644);
    await bed.tool('m1', ['file'], () => bed.put('file', CHANGED, 0o755));
    const mine = CHANGED.replace('three\n', 'three\nMINE\n');
    bed.put('file', mine);
    const line = await lineOf('m1', 'file');
    expect(line.action).toBe('merge');
    const [mode] = await bed.savepoint.planHunks(line);
    const permissions = () => statSync(bed.at('file')).mode & 0o777;
    expect(await take('m1', [mode?.id ?? ''])).toMatchObject({ success: true });
    expect([bed.text('file'), permissions()]).toEqual([mine, 0o644]);
    await bed.savepoint.undo();
    expect([bed.text('file'), permissions()]).toEqual([mine, 0o755]);
  });

  it('with another name keep the mode of that name', async () => {
    bed.put('file', LINES, 0o644);
    await bed.tool('m1', ['file'], () => bed.put('file', CHANGED, 0o755));
    linkSync(bed.at('file'), bed.at('name'));
    const [mode] = await hunksOf('m1');
    await take('m1', [mode?.id ?? '']);
    expect(statSync(bed.at('file')).mode & 0o777).toBe(0o644);
    expect(statSync(bed.at('name')).mode & 0o777).toBe(0o755);
    expect(bed.text('file')).toBe(CHANGED);
  });

  it('that were created stay in a folder that would have gone', async () => {
    await bed.tool('m1', ['made/file', 'made/other'], () => {
      bed.put('made/file', LINES);
      bed.put('made/other', LINES);
    });
    await bed.rewind('m1', { hunks: [{ path: 'made/file', ids: [] }] });
    expect(bed.text('made/file')).toBe(LINES);
    expect(existsSync(bed.at('made/other'))).toBe(false);
    const [only] = await hunksOf('m1', 'made/file');
    await bed.rewind('m1', { hunks: [{ path: 'made/file', ids: [only?.id ?? ''] }] });
    expect(existsSync(bed.at('made'))).toBe(false);
  });

  it('that are not UTF-8 come back byte for byte', async () => {
    const before = Buffer.from('a\xff\nb\nc\xfe\n', 'latin1');
    bed.put('file', before);
    await bed.write('m1', 'file', Buffer.from('a\xfd\nb\nc\xfc\n', 'latin1'));
    const [first] = await hunksOf('m1');
    await take('m1', [first?.id ?? '']);
    expect(bed.text('file')).toBe(Buffer.from('a\xff\nb\nc\xfc\n', 'latin1').toString());
  });
});
