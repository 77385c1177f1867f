import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

describe('savepoint show', () => {
  const project = new CliProject({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  let id: string;
  let operationId: string | null;
  let safetyCheckpointId: string | null;

  beforeAll(async () => {
    id = await project.agent({
      message: 'm1',
      description: 'Clean up.\n\n  - and 请整理一下代码',
      paths: ['a.txt', 'b.txt', 'new.txt'],
      work: () => {
        project.write('a.txt', 'one\ntwo\n');
        project.write('b.txt', 'other\n');
        project.write('new.txt', '1\n2\n3\n');
      },
    });
    await project.open(async (savepoint) => {
      await savepoint.label(id, 'tidy');
      const receipt = await savepoint.rewind({ to: id, paths: ['b.txt'] });
      ({ operationId, safetyCheckpointId } = receipt);
    });
  });
  afterAll(() => project.remove());

  it('tells what was asked, what changed and what became of it, at a terminal', async () => {
    const { code, rows } = await project.see(['show', 'tidy'], {
      columns: 60,
      env: { NO_COLOR: '1' },
    });
    expect(code).toBe(0);
    expect(rows[0]).toBe(`Checkpoint   ${id}  (@ the files stand here)`);
    expect(rows.join('\n')).toContain('Label        tidy\n');
    expect(rows.join('\n')).toContain(
      'Agent        test-agent\nSession      s1\nMessage      m1\n',
    );
    expect(rows.join('\n')).toContain('Covers       files that tools named\n');
    expect(rows.join('\n')).toContain(
      [
        'Taken back   1 of 3 changes',
        '',
        '    Clean up.',
        '',
        '      - and 请整理一下代码',
        '',
        '  M a.txt    +1, exact (a tool named it)',
        '  M b.txt    +1 -1, exact (a tool named it), taken back',
        '  A new.txt  +3, exact (a tool named it)',
        '',
        'Operations',
        `${operationId?.slice(0, 8)}  `,
      ].join('\n'),
    );
    expect(rows.join('\n')).toContain(
      `in effect; kept before it: ${safetyCheckpointId?.slice(0, 8)}`,
    );
    expect(rows.join('\n')).toContain('hint: see the lines with: savepoint diff');
  });

  it('gives programs all of it', async () => {
    const { code, out, err } = await project.run(['show', '--json', 'tidy']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expectSchema('show', out);
    expect(JSON.parse(out)).toMatchObject({
      checkpoint: { id, label: 'tidy', files: 3, agent: 'test-agent' },
      coverage: 'named',
      current: true,
      session: { id: 's1', state: 'open' },
      changes: [
        { path: 'a.txt', change: 'modified', insertions: 1, deletions: 0, takenBack: false },
        { path: 'b.txt', change: 'modified', insertions: 1, deletions: 1, takenBack: true },
        { path: 'new.txt', change: 'created', before: null, after: { size: 6 } },
      ],
      operations: [{ id: operationId, kind: 'rewind', inEffect: true, takenBackBy: null }],
      madeBefore: null,
    });
    const safety = await project.run(['show', '--json', safetyCheckpointId ?? '']);
    expectSchema('show', safety.out);
    expect(JSON.parse(safety.out)).toMatchObject({
      session: null,
      changes: [],
      madeBefore: operationId,
    });
  });

  it('wants one checkpoint that is there', async () => {
    expect(await project.run(['show', 'zzzz'])).toMatchObject({ code: 4, out: '' });
    expect(await project.run(['show'])).toMatchObject({ code: 2, out: '' });
  });

  it('explains itself', async () => {
    expect((await project.run(['show', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint show ID [options]

      Shows everything on record of a checkpoint: what was asked, by which session, what it covers, what
      was changed under it and how sure it is who did that, and which operations took that back. With the
      id of an operation, that operation and the checkpoint that was made before it.

      options:
        --no-pager     print everything at once (at a terminal, what is longer than the screen goes
                       through PAGER, or less)
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint show latest       the last message
        savepoint show k3m9 --json  for a program
      "
    `);
  });
});
