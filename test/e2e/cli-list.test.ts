import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject, type Json } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

describe('savepoint list', () => {
  const project = new CliProject({ 'a.txt': 'one\n' });
  let first: string;
  let second: string;

  beforeAll(async () => {
    first = await project.agentWrites('m1', 'a.txt', 'two\n');
    second = await project.agentWrites('m2', 'b.txt', 'new\n');
    await project.open((savepoint) => savepoint.checkpoint({ label: 'before lunch' }));
  });
  afterAll(() => project.remove());

  it('shows the checkpoints by session, newest first, with age, files and lines', async () => {
    const { code, out, err } = await project.run(['list']);
    expect(code).toBe(0);
    const rows = out.trimEnd().split('\n');
    expect(rows[0]).toMatch(/^test-agent {2}s1 {2}active /);
    expect(rows[1]).toMatch(/^@ \w{8} {2}(just now|\d+ seconds ago) +- +\(by hand\) before lunch$/);
    expect(rows[2]).toMatch(new RegExp(`^  ${second.slice(0, 8)} .* 1 file  \\+1     message m2$`));
    expect(rows[3]).toMatch(new RegExp(`^  ${first.slice(0, 8)} .* 1 file  \\+1 -1  message m1$`));
    expect(err).toMatch(/^hint: .*savepoint rewind ID\n$/);
    expect((await project.run(['list', '--quiet'])).err).toBe('');
  });

  it('gives programs everything, and nothing else on standard output', async () => {
    const { code, out, err } = await project.run(['list', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expectSchema('list', out);
    const value = JSON.parse(out) as Json;
    const [manual, message] = value.checkpoints as Record<string, unknown>[];
    expect(manual).toMatchObject({
      kind: 'manual',
      label: 'before lunch',
      sessionId: null,
      files: 0,
    });
    expect(message).toEqual({
      id: second,
      seq: expect.any(Number),
      sessionId: 's1',
      agent: 'test-agent',
      messageId: 'm2',
      kind: 'message',
      description: 'message m2',
      label: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      imported: false,
      files: 1,
      folders: 0,
      takenBack: 'no',
    });
  });

  it('counts no lines of a file that got another name, as diff does', async () => {
    const place = new CliProject({ 'old.txt': 'one\ntwo\n', 'b.txt': 'b\n' });
    const work = () => {
      renameSync(place.path('old.txt'), place.path('new.txt'));
      place.write('b.txt', 'b\nc\n');
    };
    const id = await place.agent({ message: 'm1', paths: ['old.txt', 'new.txt', 'b.txt'], work });
    expect((await place.run(['list'])).out).toMatch(/ 3 files {2}\+1 {2}/);
    expect((await place.run(['diff', id])).out).toContain(
      '2 paths changed, 1 insertion(+), 0 deletions(-), 1 renamed',
    );
    place.remove();
  });

  it('counts lines for programs when asked to', async () => {
    const { out } = await project.run(['list', '--json', '--stat']);
    expectSchema('list', out);
    expect(JSON.parse(out).checkpoints).toMatchObject([
      { insertions: 0, deletions: 0 },
      { insertions: 1, deletions: 0 },
      { insertions: 1, deletions: 1 },
    ]);
  });

  it('shows as many as asked for and says that there are more', async () => {
    const { out, err } = await project.run(['list', '--limit', '1']);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(err).toContain('savepoint list --limit 0');
    expect((await project.run(['list', '--limit', 'x'])).code).toBe(2);
  });

  it('finds the project from a folder below it', async () => {
    const below = project.path('deep/er');
    mkdirSync(below, { recursive: true });
    const { out } = await project.run(['list'], { cwd: below });
    expect(out).toContain('message m1');
  });

  it('emphasises what has to be typed of an id, and only when colours are on', async () => {
    const { out } = await project.run(['list'], { env: { FORCE_COLOR: '1' } });
    expect(out).toContain(`\x1b[1m\x1b[36m${first.slice(0, 4)}\x1b[39m\x1b[22m`);
    const plain = await project.run(['list', '--no-color'], { env: { FORCE_COLOR: '1' } });
    expect(plain.out + plain.err).not.toContain('\x1b');
  });

  it('says in a new project that nothing is recorded yet, and is no failure', async () => {
    const elsewhere = join(project.scratch, 'elsewhere');
    mkdirSync(elsewhere);
    const before = readdirSync(join(project.home, 'projects'));
    const message = `nothing is recorded in ${elsewhere} yet; stores are kept in ${project.home}`;
    const listed = await project.run(['list'], { cwd: elsewhere });
    expect(listed).toMatchObject({ code: 0, out: `Nothing to list: ${message}.\n` });
    expect(listed.err).toMatch(
      /^hint: begin with: savepoint run -- COMMAND, or: savepoint save -m LABEL/,
    );
    const { code, out } = await project.run(['list', '--json', '--project', elsewhere]);
    expect(code).toBe(0);
    expectSchema('list', out);
    expect(JSON.parse(out)).toMatchObject({ checkpoints: [], current: null });
    for (const verb of [['ops'], ['sessions'], ['executions', 'list']]) {
      expect(await project.run(verb, { cwd: elsewhere })).toMatchObject({ code: 0 });
    }
    // What needs a checkpoint fails, and begins nothing.
    const undone = await project.run(['undo'], { cwd: elsewhere });
    expect(undone).toMatchObject({ code: 4, out: '' });
    expect(undone.err.split('\n')[0]).toBe(`savepoint: ${message}`);
    expect(readdirSync(join(project.home, 'projects'))).toEqual(before);
  });

  it('lists nothing where a timeline has no checkpoint left', async () => {
    const emptied = new CliProject({ 'a.txt': 'one\n' });
    await emptied.open(async () => undefined);
    expect(await emptied.run(['list'])).toMatchObject({
      code: 0,
      out: `There is no checkpoint in the timeline of ${emptied.root}.\n`,
      err: 'hint: make one with: savepoint save\n',
    });
    expect((await emptied.json(['list'])).value).toEqual({
      version: 1,
      checkpoints: [],
      current: null,
      notes: [],
    });
    emptied.remove();
  });
});

describe('shortened ids', () => {
  const project = new CliProject();
  const ids: string[] = [];

  beforeAll(async () => {
    // With 33 ids over 32 signs, two begin alike.
    await project.open(async (savepoint) => {
      for (let i = 0; i < 33; i += 1) ids.push((await savepoint.checkpoint()).id);
    });
  });
  afterAll(() => project.remove());

  it('lists the candidates of one that fits several', async () => {
    const letter = ids.map((id) => id.charAt(0)).find((sign, i, all) => all.indexOf(sign) !== i);
    const { code, err } = await project.run(['diff', letter ?? '']);
    expect(code).toBe(2);
    const fitting = ids.filter((id) => id.startsWith(letter ?? '')).toReversed();
    for (const id of fitting.slice(0, 10))
      expect(err).toMatch(new RegExp(`^  ${id} .* made by hand$`, 'm'));
    const programs = await project.run(['diff', '--json', letter ?? '']);
    expect(programs.code).toBe(2);
    expectSchema('error', programs.out);
    const { error } = JSON.parse(programs.out);
    expect(error.candidates.map(({ id }: { id: string }) => id)).toEqual(fitting.slice(0, 10));
  });

  it('accepts what the list shows', async () => {
    const { out } = await project.run(['list']);
    const shown = out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.slice(2, 10));
    expect(shown).toEqual(ids.toReversed().map((id) => id.slice(0, 8)));
    expect(await project.run(['diff', shown[5] ?? ''])).toMatchObject({
      code: 0,
      out: 'No differences.\n',
    });
  });
});
