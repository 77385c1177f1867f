import { chmodSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', ''].join('\n');

describe('a merge', () => {
  it("keeps a person's lines and takes the agent's back", async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', LINES.replace('two', 'AGENT'));
    bed.put('file', bed.text('file').replace('seven', 'PERSON'));
    const receipt = await bed.rewind('m1');
    expect(receipt).toMatchObject({ success: true, mergedFiles: ['file'], restoredFiles: [] });
    expect(bed.text('file')).toBe(LINES.replace('seven', 'PERSON'));
  });

  it("keeps another session's lines as well", async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', LINES.replace('two', 'AGENT'));
    const theirs = () => bed.put('file', bed.text('file').replace('seven', 'OTHER'));
    await bed.tool('n1', ['file'], theirs, { sessionId: 'other' });
    await bed.rewind('m1');
    expect(bed.text('file')).toBe(LINES.replace('seven', 'OTHER'));
  });

  it("takes out each run of the agent's, with a person's edits between them", async () => {
    bed.put('file', LINES);
    await bed.write('m1', 'file', LINES.replace('one', 'AGENT-1'));
    bed.put('file', bed.text('file').replace('four', 'PERSON'));
    await bed.write('m2', 'file', bed.text('file').replace('eight', 'AGENT-2'));
    const receipt = await bed.rewind('m1');
    expect(receipt.mergedFiles).toEqual(['file']);
    expect(bed.text('file')).toBe(LINES.replace('four', 'PERSON'));
  });

  it('treats the mode on its own: the content goes back, a mode that a person set stays', async () => {
    bed.put('file', 'before', 0o644);
    await bed.write('m1', 'file', 'after');
    chmodSync(bed.at('file'), 0o755);
    expect((await bed.rewind('m1')).success).toBe(true);
    expect(bed.text('file')).toBe('before');
    expect(statSync(bed.at('file')).mode & 0o777).toBe(0o755);
  });

  it('treats the mode on its own: the mode goes back, lines that a person wrote stay', async () => {
    bed.put('file', LINES, 0o644);
    await bed.tool('m1', ['file'], () => chmodSync(bed.at('file'), 0o755));
    bed.put('file', LINES.replace('six', 'PERSON'));
    expect((await bed.rewind('m1')).success).toBe(true);
    expect(bed.text('file')).toBe(LINES.replace('six', 'PERSON'));
    expect(statSync(bed.at('file')).mode & 0o777).toBe(0o644);
  });

  it('of what a person made the same already changes nothing', async () => {
    bed.put('file', 'before');
    await bed.write('m1', 'file', 'after');
    bed.put('file', 'before');
    const receipt = await bed.rewind('m1');
    expect(receipt).toMatchObject({ success: true, restoredFiles: [], mergedFiles: [] });
    expect(bed.text('file')).toBe('before');
  });
});

interface Clash {
  readonly reason: string;
  /** What the agent made of the file "before\n". */
  readonly agent: () => void;
  /** What a person did to it afterwards. */
  readonly person: () => void;
}

const clashes: Clash[] = [
  {
    reason: 'overlapping-edits',
    agent: () => bed.put('file', 'agent\n'),
    person: () => bed.put('file', 'person\n'),
  },
  {
    reason: 'binary-changed',
    agent: () => bed.put('file', Buffer.from([0, 1])),
    person: () => bed.put('file', Buffer.from([0, 2])),
  },
  {
    reason: 'modify-delete',
    agent: () => bed.put('file', 'agent\n'),
    person: () => rmSync(bed.at('file')),
  },
  {
    reason: 'modify-delete',
    agent: () => rmSync(bed.at('file')),
    person: () => bed.put('file', 'person\n'),
  },
  {
    reason: 'type-changed',
    agent: () => bed.put('file', 'agent\n'),
    person: () => {
      rmSync(bed.at('file'));
      symlinkSync('elsewhere', bed.at('file'));
    },
  },
  {
    reason: 'mode-changed',
    agent: () => chmodSync(bed.at('file'), 0o700),
    person: () => chmodSync(bed.at('file'), 0o666),
  },
];

describe.each(clashes)('a conflict ($reason)', ({ reason, agent, person }) => {
  beforeEach(async () => {
    bed.put('file', 'before\n', 0o644);
    await bed.tool('m1', ['file'], agent);
    person();
  });

  it('is left untouched and named, and can be met again', async () => {
    const held = bed.tree();
    for (let times = 0; times < 2; times += 1) {
      const receipt = await bed.rewind('m1');
      expect(receipt).toMatchObject({ success: false, conflicts: [{ path: 'file', reason }] });
      expect(bed.tree()).toEqual(held);
    }
  });

  it('with "fail" stops the rewind before anything is touched', async () => {
    await bed.write('m1', 'other', 'made');
    const held = bed.tree();
    const refused = bed.rewind('m1', { onConflict: 'fail' });
    await expect(refused).rejects.toMatchObject({ code: 'conflicts', details: [{ reason }] });
    expect(bed.tree()).toEqual(held);
    expect(await bed.savepoint.operations()).toEqual([]);
  });

  it('with "keep" stays as it is and counts as settled', async () => {
    const held = bed.tree();
    const receipt = await bed.rewind('m1', { onConflict: 'keep' });
    expect(receipt).toMatchObject({ success: true, skipped: [{ path: 'file', reason: 'kept' }] });
    expect(bed.tree()).toEqual(held);
    expect((await bed.rewind('m1')).conflicts).toEqual([]);
  });

  it('with "restore" goes back all the same, and undo brings what was there', async () => {
    const held = bed.tree();
    const receipt = await bed.rewind('m1', { onConflict: 'restore' });
    expect(receipt).toMatchObject({ success: true, restoredFiles: ['file'] });
    expect(bed.tree()).toEqual({ file: 'file 644 before\n' });
    await bed.savepoint.undo();
    expect(bed.tree()).toEqual(held);
  });
});

describe('a rewind with some conflicts', () => {
  it('restores the paths that are free', async () => {
    bed.put('mine', 'before');
    bed.put('free', 'before');
    await bed.write('m1', 'mine', 'agent');
    await bed.write('m1', 'free', 'agent');
    bed.put('mine', 'person');
    const receipt = await bed.rewind('m1');
    expect(receipt).toMatchObject({ success: false, restoredFiles: ['free'] });
    expect([bed.text('mine'), bed.text('free')]).toEqual(['person', 'before']);
  });
});
