import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runHere } from './cli-here.ts';
import { PATH, type Result } from './cli-project.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import { dieAt } from './file-moments.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
  bed.put('a', 'before');
  const { checkpointId: to } = await bed.write('m1', 'a', 'after');
  const intent = { call: 'openSync', path: /\.savepoint-.*\.new$/ } as const;
  await dieAt(bed, intent, (savepoint) => savepoint.rewind({ to }));
});
afterEach(() => bed.remove());

function run(...args: string[]): Promise<Result> {
  const env = { PATH, HOME: bed.base, SAVEPOINT_HOME: bed.home };
  return runHere([...args, '--project', bed.root], { cwd: bed.base, env });
}

describe('the first command after an interrupted rewind', () => {
  it.each([[['list']], [['diff', 'latest']]])(
    'says beside its answer that it finished it: %s',
    async (args) => {
      const { code, err } = await run(...args);
      expect(code).toBe(0);
      expect(err).toContain('note: an interrupted rewind was finished');
      expect(bed.text('a')).toBe('before');
      expect((await run(...args)).err).not.toContain('interrupted');
    },
  );

  it('tells programs so among the notes', async () => {
    const { out } = await run('list', '--json');
    expect(JSON.parse(out).notes).toEqual([
      { code: 'recovered', message: 'an interrupted rewind was finished' },
    ]);
    expect(JSON.parse((await run('list', '--json')).out).notes).toEqual([]);
  });

  it('tells programs so in a receipt as well', async () => {
    const { notes } = JSON.parse((await run('undo', '--json')).out);
    expect(notes).toContainEqual(expect.objectContaining({ code: 'recovered' }));
  });
});
