import { chmodSync, existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Decision, PlanLine, Receipt } from '../../src/index.ts';
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

  it('that a person decides to keep stays byte for byte, is settled, and undo brings it back', async () => {
    const held = bed.tree();
    const receipt = await decided('keep');
    expect(receipt).toMatchObject({ success: true, skipped: [{ path: 'file', reason: 'kept' }] });
    expect(bed.tree()).toEqual(held);
    expect((await bed.rewind('m1')).conflicts).toEqual([]);
    await bed.savepoint.undo();
    expect(bed.tree()).toEqual(held);
    expect((await bed.rewind('m1')).conflicts).toMatchObject([{ path: 'file', reason }]);
  });

  it('that a person decides to restore goes back, and undo brings what was there', async () => {
    const held = bed.tree();
    expect(await decided('restore')).toMatchObject({ success: true, restoredFiles: ['file'] });
    expect(bed.tree()).toEqual({ file: 'file 644 before\n' });
    await bed.savepoint.undo();
    expect(bed.tree()).toEqual(held);
  });

  it('shows both sides to whoever decides', async () => {
    const conflict = await bed.savepoint.planConflict(await conflictAt('file'));
    expect(conflict?.diff.before).toMatchObject({ kind: 'captured', mode: 0o100644 & 0o777 });
    expect(Buffer.from(conflict?.diff.beforeBytes ?? [])).toEqual(Buffer.from('before\n'));
  });
});

/** The line of the plan for a path that is in conflict. */
async function conflictAt(path: string): Promise<PlanLine> {
  const plan = await bed.savepoint.planRewind({ to: await bed.idOf('m1') });
  const line = plan.lines.find((one) => one.path === path);
  if (line?.action !== 'conflict') throw new Error(`no conflict at ${path}`);
  return line;
}

/** A person looks at the plan, decides about a file, sees the plan of that, and has it carried out. */
async function decided(take: Decision, path = 'file'): Promise<Receipt> {
  const { expected: seen } = await conflictAt(path);
  const resolutions = [{ path, take, seen }];
  const to = await bed.idOf('m1');
  return bed.savepoint.apply(await bed.savepoint.planRewind({ to, resolutions }));
}

describe('a decision about a conflict', () => {
  const MERGED = Buffer.from('agent was here, person stays\r\nno newline at the end');

  beforeEach(async () => {
    bed.put('file', LINES, 0o644);
    bed.put('free', 'before');
    await bed.tool('m1', ['file'], () => bed.put('file', LINES.replace('two', 'AGENT'), 0o755));
    await bed.write('m1', 'free', 'agent');
    bed.put('file', bed.text('file').replace('AGENT', 'PERSON'));
  });

  it('to write a merge is carried out with the rest, and undo brings all of it back', async () => {
    const held = bed.tree();
    expect(await decided({ content: MERGED })).toMatchObject({
      success: true,
      mergedFiles: ['file'],
      restoredFiles: ['free'],
    });
    // The mode that the agent gave it goes back, too.
    expect(bed.tree()).toEqual({ file: `file 644 ${MERGED}`, free: 'file 644 before' });
    expect((await bed.rewind('m1')).conflicts).toEqual([]);
    await bed.savepoint.undo();
    expect(bed.tree()).toEqual(held);
    await bed.savepoint.redo();
    expect(bed.text('file')).toBe(MERGED.toString());
  });

  it('to write what is there already only settles it', async () => {
    const content = Buffer.from(bed.text('file'));
    const receipt = await decided({ content });
    expect(receipt).toMatchObject({ success: true, mergedFiles: ['file'] });
    expect(bed.text('file')).toBe(content.toString());
    expect(statSync(bed.at('file')).mode & 0o777).toBe(0o644);
  });

  it('shows the lines of both sides, and all others as settled', async () => {
    const conflict = await bed.savepoint.planConflict(await conflictAt('file'));
    expect(conflict?.pieces?.filter((piece) => 'ours' in piece)).toEqual([
      { ours: ['PERSON\n'], theirs: ['two\n'] },
    ]);
  });

  it('shows every difference where a person edited between two runs of the agent', async () => {
    await bed.write('m1', 'file', bed.text('file').replace('PERSON', 'AGENT-2'));
    bed.put('file', bed.text('file').replace('AGENT-2', 'PERSON-2').replace('seven', 'MINE'));
    const line = await conflictAt('file');
    expect(line.sides?.base).toBeNull();
    const conflict = await bed.savepoint.planConflict(line);
    expect(conflict?.pieces?.filter((piece) => 'ours' in piece)).toEqual([
      { ours: ['PERSON-2\n'], theirs: ['two\n'] },
      { ours: ['MINE\n'], theirs: ['seven\n'] },
    ]);
  });

  const meanwhile: [what: string, happens: () => unknown][] = [
    ['was edited', () => bed.put('file', 'newer')],
    ['was removed', () => rmSync(bed.at('file'))],
    ['has another mode', () => chmodSync(bed.at('file'), 0o600)],
    ['was taken back by hand', () => bed.put('file', LINES, 0o644)],
  ];
  it.each(meanwhile)(
    'is stale, and touches nothing, when the file %s since',
    async (_, happens) => {
      const line = await conflictAt('file');
      const to = await bed.idOf('m1');
      const resolutions = [{ path: 'file', take: 'restore' as const, seen: line.expected }];
      const plan = await bed.savepoint.planRewind({ to, resolutions });
      happens();
      const held = bed.tree();
      for (const stale of [
        () => bed.savepoint.planConflict(line),
        () => bed.savepoint.planRewind({ to, resolutions }),
        () => bed.savepoint.rewind({ to, resolutions }),
        () => bed.savepoint.apply(plan),
      ]) {
        await expect(stale()).rejects.toMatchObject({ code: 'plan-stale', path: 'file' });
      }
      expect(bed.tree()).toEqual(held);
      expect(await bed.savepoint.operations()).toEqual([]);
    },
  );

  it.each(['free', 'nowhere'])('about %s, which is not in conflict, is refused', async (path) => {
    const held = bed.tree();
    const refused = bed.rewind('m1', { resolutions: [{ path, take: 'keep' }] });
    await expect(refused).rejects.toMatchObject({ code: 'argument-invalid', path });
    expect(bed.tree()).toEqual(held);
  });

  it.each(['keep', 'restore'] as const)('and another one, %s, are refused', async (take) => {
    const held = bed.tree();
    const resolutions = [
      { path: 'file', take: 'keep' as const },
      { path: './file', take },
    ];
    const refused = bed.rewind('m1', { resolutions });
    await expect(refused).rejects.toMatchObject({ code: 'argument-invalid', path: 'file' });
    expect(bed.tree()).toEqual(held);
  });

  it('holds for its own path: others stay in conflict, and files of other sessions stay', async () => {
    bed.put('second', 'before');
    await bed.write('m1', 'second', 'agent');
    await bed.tool('n1', ['theirs'], () => bed.put('theirs', 'x'), { sessionId: 'other' });
    await bed.tool('n1', ['second'], () => bed.put('second', 'other'), { sessionId: 'other' });
    const receipt = await decided('restore');
    expect(receipt.conflicts).toMatchObject([{ path: 'second' }]);
    expect([bed.text('second'), bed.text('theirs')]).toEqual(['other', 'x']);
    expect(bed.text('file')).toBe(LINES);
  });

  it('settles the conflict of an undo as well', async () => {
    await bed.rewind('m1', { onConflict: 'restore' });
    bed.put('file', LINES.replace('two', 'LATER'));
    const plan = await bed.savepoint.planUndo();
    expect(plan.lines).toMatchObject([{ path: 'file', action: 'conflict' }, { path: 'free' }]);
    const resolutions = [{ path: 'file', take: { content: MERGED } }];
    await bed.savepoint.undo({ resolutions });
    expect([bed.text('file'), bed.text('free')]).toEqual([MERGED.toString(), 'agent']);
  });

  it('to write content is refused where no file is', async () => {
    rmSync(bed.at('file'));
    await expect(decided({ content: MERGED })).rejects.toMatchObject({ code: 'argument-invalid' });
    expect(existsSync(bed.at('file'))).toBe(false);
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
