import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'one\n' });
});
afterEach(() => project.remove());

/** The rows of the list without headings: the mark, and what is said. */
async function listed(): Promise<string[]> {
  const { out } = await project.run(['list']);
  const rows = out.split('\n').filter((row) => /^[@ ] /.test(row));
  return rows.map((row) => {
    const [, mark, what] =
      /^([@ ]) \w{8} .*? (?:-|\d+ \w+) {2}(?:[-+ \d]* )?(\S.*)$/.exec(row) ?? [];
    return `${mark} ${what}`;
  });
}

/** The command that the list names for bringing back what was taken back. */
async function bringingBack(): Promise<string[] | null> {
  const { err } = await project.run(['list']);
  const [, command] = /savepoint (.*) brings back what was taken back last/.exec(err) ?? [];
  return command?.split(' ') ?? null;
}

async function currentInJson(): Promise<unknown> {
  return (await project.json(['list'])).value.current;
}

describe('what is taken back', () => {
  let ids: string[];
  beforeEach(async () => {
    ids = [];
    for (const message of ['m1', 'm2', 'm3']) {
      ids.push(await project.agentWrites(message, 'a.txt', `${message}\n`));
    }
  });

  it('says so and is dim, and @ stands where the files stand', async () => {
    expect(await listed()).toEqual(['@ message m3', '  message m2', '  message m1']);
    await project.run(['rewind', ids[1] ?? '']);
    const rows = ['  (taken back) message m3', '  (taken back) message m2', '@ message m1'];
    expect(await listed()).toEqual(rows);
    expect(await currentInJson()).toBe(ids[0]);
    const { out } = await project.run(['list'], { env: { FORCE_COLOR: '1' } });
    const [, third, second, first] = out.split('\n');
    for (const row of [third, second]) expect(row).toMatch(/^\x1b\[2m {2}\w{8} .*\x1b\[22m$/);
    expect(first).not.toMatch(/^\x1b\[2m/);
  });

  it('comes and goes with undo and redo', async () => {
    const before = await listed();
    await project.run(['rewind', ids[1] ?? '']);
    const rewound = await listed();
    await project.run(['undo']);
    expect(await listed()).toEqual(before);
    await project.run(['redo']);
    expect(await listed()).toEqual(rewound);
    await project.agentWrites('m4', 'a.txt', 'm4\n');
    expect((await listed())[0]).toBe('@ message m4');
  });

  it('may be one message in the middle: the newest work still stands', async () => {
    const other = await project.agentWrites('m4', 'b.txt', 'm4\n');
    await project.agentWrites('m5', 'a.txt', 'm5\n');
    await project.run(['rewind', other, '--only-message']);
    expect((await listed()).slice(0, 3)).toEqual([
      '@ message m5',
      '  (taken back) message m4',
      '  message m3',
    ]);
  });

  it('may be a part of a message, which says so and still stands', async () => {
    const work = () => {
      project.write('a.txt', 'm4\n');
      project.write('b.txt', 'm4\n');
    };
    const paths = ['a.txt', 'b.txt'];
    const id = await project.agent({ message: 'm4', description: 'message m4', paths, work });
    await project.run(['rewind', id, 'b.txt']);
    expect((await listed())[0]).toBe('@ (partly taken back) message m4');
    const { out } = await project.run(['list', '--json', '--limit', '2']);
    expectSchema('list', out);
    expect(JSON.parse(out)).toMatchObject({
      current: id,
      checkpoints: [{ kind: 'safety' }, { id, takenBack: 'partly' }],
    });
  });

  it('may be everything: then the files stand before all of it', async () => {
    await project.run(['rewind', ids[0] ?? '']);
    const { out, err } = await project.run(['list']);
    expect(out.match(/\(taken back\)/g)).toHaveLength(3);
    expect(out).toMatch(/\n\n@ before all of them: everything is taken back\n$/);
    expect(err).toContain('savepoint undo brings back');
    expect(await currentInJson()).toBeNull();
  });

  it('may be a run that was undone', async () => {
    await project.run(['run', '--', 'sh', '-c', 'echo 1 > b.txt']);
    await project.run(['run', '--', 'sh', '-c', 'echo 2 > b.txt']);
    await project.run(['undo']);
    const rows = await listed();
    expect(rows[0]).toMatch(/^ {2}\(taken back\) .*echo 2/);
    expect(rows[1]).toMatch(/^@ .*echo 1/);
  });

  it('comes back by the command that the hint names', async () => {
    await project.run(['run', '--', 'sh', '-c', 'echo 1 > b.txt']);
    await project.run(['run', '--', 'sh', '-c', 'echo 2 > c.txt']);
    const before = await listed();
    expect(await bringingBack()).toBeNull();
    await project.run(['undo']);
    expect(await bringingBack()).toEqual(['redo']);
    await project.run(['redo']);
    expect(await listed()).toEqual(before);

    await project.run(['rewind', ids[2] ?? '']);
    expect(await bringingBack()).toEqual(['undo']);
    // Now `undo` alone would take back this run.
    await project.run(['run', '--', 'sh', '-c', 'echo 3 > d.txt']);
    const named = await bringingBack();
    expect(named).toEqual(['undo', expect.stringMatching(/^\w{8}$/)]);
    await project.run(named ?? []);
    expect((await listed()).slice(1)).toEqual(before.map((row) => row.replace('@', ' ')));
  });

  it('is named rightly also after the undo of another rewind', async () => {
    await project.run(['rewind', ids[2] ?? '']);
    const rewound = await listed();
    await project.run(['rewind', ids[1] ?? '']);
    await project.run(['undo']);
    expect(await listed()).toEqual(rewound);
    await project.run((await bringingBack()) ?? []);
    expect((await listed())[0]).toBe('@ message m3');
  });

  it('adds no rows of what rewinds kept; programs get them', async () => {
    await project.run(['rewind', ids[2] ?? '']);
    await project.run(['undo']);
    expect(await listed()).toHaveLength(3);
    expect((await project.run(['list', '--limit', '3'])).err).not.toContain('there are older ones');
    const { value } = await project.json(['list']);
    expect(value.checkpoints).toHaveLength(5);
  });
});

describe('a checkpoint made by hand', () => {
  it('stands at its place in time, among what the agent did', async () => {
    await project.run(['save', '-m', 'at first']);
    await project.agentWrites('m1', 'a.txt', 'm1\n');
    await project.run(['save', '-m', 'before lunch']);
    await project.agentWrites('m2', 'a.txt', 'm2\n');
    await project.run(['save']);
    expect(await listed()).toEqual([
      '@ made by hand',
      '  message m2',
      '  (by hand) before lunch',
      '  message m1',
      '  (by hand) at first',
    ]);
  });

  it('is where the files stand after a rewind to it, and one that came later is not', async () => {
    await project.agentWrites('m1', 'a.txt', 'm1\n');
    await project.run(['save', '-m', 'good']);
    await project.agentWrites('m2', 'a.txt', 'm2\n');
    await project.run(['save', '-m', 'bad']);
    await project.run(['rewind', 'good']);
    expect(await listed()).toEqual([
      '  (by hand) bad',
      '  (taken back) message m2',
      '@ (by hand) good',
      '  message m1',
    ]);
    await project.run(['save', '-m', 'now']);
    expect((await listed())[0]).toBe('@ (by hand) now');
  });
});

describe('the number of files', () => {
  it('leaves out what a refused or failed tool call named', async () => {
    await project.agent({
      message: 'm1',
      description: 'refused',
      paths: ['a.txt', 'never.txt'],
      work: () => undefined,
    });
    expect((await project.run(['list'])).out).toMatch(/ {2}- {2}refused\n/);
    expect((await project.run(['list', '--path', 'a.txt'])).out).toContain('No checkpoint');
    const { value } = await project.json(['show', 'latest']);
    expect(value).toMatchObject({ checkpoint: { files: 0 }, changes: [] });
    expect((await project.run(['sessions'])).out).toContain('1 checkpoint, 0 files');
    await project.agent({
      message: 'm2',
      description: 'half of it',
      paths: ['a.txt', 'b.txt'],
      work: () => project.write('b.txt', 'new\n'),
    });
    expect((await project.run(['list'])).out).toMatch(/ 1 file +\+1 +half of it\n/);
  });

  it('does not count folders as files', async () => {
    await project.agent({
      message: 'm1',
      description: 'a folder and a file',
      paths: ['made', 'made/b.txt'],
      work: () => project.write('made/b.txt', 'new\n'),
    });
    await project.agent({
      message: 'm2',
      description: 'only a folder',
      paths: ['empty'],
      work: () => mkdirSync(project.path('empty')),
    });
    const { out } = await project.run(['list']);
    expect(out).toMatch(/ 1 folder +only a folder\n/);
    expect(out).toMatch(/ 1 file +\+1 +a folder and a file\n/);
    const { value } = await project.json(['list']);
    expect(value.checkpoints).toMatchObject([
      { files: 0, folders: 1 },
      { files: 1, folders: 1 },
    ]);
    expect((await project.run(['sessions'])).out).toContain('2 checkpoints, 1 file');
  });
});
