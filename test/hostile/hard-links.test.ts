import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../e2e/engine-bed.ts';

let bed: Bed;
let outside: string;

beforeEach(async () => {
  bed = await makeBed();
  outside = join(bed.outside, 'passwd');
  writeFileSync(outside, 'root:x:0:0\n');
  chmodSync(outside, 0o640);
});
afterEach(() => bed.remove());

/** What stands outside now, to be compared: not its number of names, which the project may change. */
function canary(): unknown {
  const { ino, mode, mtimeNs, uid } = statSync(outside, { bigint: true });
  return { content: readFileSync(outside, 'utf8'), ino, mode, mtimeNs, uid };
}

const cases: [what: string, agent: () => void][] = [
  ['content that the agent wrote to a new file', () => replace('agent\n', 0o640)],
  ['a mode that came with a new file', () => replace('root:x:0:0\n', 0o600)],
  ['a file that the agent deleted', () => rmSync(bed.at('file'))],
];

function replace(content: string, mode: number): void {
  rmSync(bed.at('file'));
  bed.put('file', content, mode);
}

describe('a file outside with a second name in the project', () => {
  it.each(cases)('stays as it is when a rewind takes back %s', async (_what, agent) => {
    linkSync(outside, bed.at('file'));
    const start = bed.tree();
    await bed.tool('m1', ['file'], agent);
    const before = canary();
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(start);
    await bed.savepoint.undo();
    await bed.savepoint.redo();
    expect(canary()).toEqual(before);
  });

  it('keeps what the agent wrote through it: the name in the project gets a file of its own', async () => {
    linkSync(outside, bed.at('file'));
    await bed.write('m1', 'file', 'agent\n');
    const before = canary();
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('root:x:0:0\n');
    expect(canary()).toEqual(before);
  });

  it('keeps the mode that the agent gave it', async () => {
    linkSync(outside, bed.at('file'));
    await bed.tool('m1', ['file'], () => chmodSync(bed.at('file'), 0o666));
    const before = canary();
    await bed.rewind('m1');
    expect(statSync(bed.at('file')).mode & 0o777).toBe(0o640);
    expect(canary()).toEqual(before);
  });

  it('stays as it is when an agent put the second name there', async () => {
    bed.put('file', 'before\n');
    const before = canary();
    await bed.tool('m1', ['file'], () => {
      rmSync(bed.at('file'));
      linkSync(outside, bed.at('file'));
    });
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('before\n');
    expect(canary()).toEqual(before);
  });

  it('stays as it is when the second name appears between plan and apply', async () => {
    bed.put('file', 'root:x:0:0\n', 0o600);
    await bed.tool('m1', ['file'], () => chmodSync(bed.at('file'), 0o640));
    const plan = await bed.savepoint.planRewind({ to: 'latest' });
    rmSync(bed.at('file'));
    linkSync(outside, bed.at('file'));
    const before = canary();
    await expect(bed.savepoint.apply(plan)).rejects.toMatchObject({ code: 'plan-stale' });
    expect(canary()).toEqual(before);
  });
});
