import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject, type Json } from './cli-project.ts';

const DAY = 24 * 60 * 60 * 1000;

describe('savepoint list', () => {
  const project = new CliProject({ 'src/a.txt': 'one\n' });

  beforeAll(async () => {
    await project.openAt(Date.now() - 10 * DAY, async (savepoint) => {
      const request = { sessionId: 'session-old', messageId: 'm1', agent: 'codex' };
      const paths = ['src/a.txt', 'docs/b.txt'];
      const capture = await savepoint.captureBefore({ ...request, paths });
      project.write('src/a.txt', 'two\n');
      await savepoint.captureAfter(capture);
      await savepoint.archiveSession('session-old');
    });
    await project.agentWrites('m2', 'src/deep/c.txt', 'new\n');
    await project.agent({
      message: 'm3',
      session: 'session-new',
      paths: ['d'],
      work: () => undefined,
    });
    await project.open(async (savepoint) => {
      const sub = { sessionId: 'sub-agent', parentSessionId: 'session-new', agent: 'helper' };
      await savepoint.checkpoint({ ...sub, messageId: 'm4', description: '请整理一下代码' });
    });
  });
  afterAll(() => project.remove());

  const messages = async (...args: string[]): Promise<unknown[]> => {
    const { code, value } = await project.json(['list', ...args]);
    expect(code).toBe(0);
    return (value.checkpoints as Json[]).map(({ messageId }) => messageId);
  };

  it('narrows down by session, agent, time and path, and by all of them', async () => {
    expect(await messages()).toEqual(['m4', 'm3', 'm2', 'm1']);
    expect(await messages('--session', 'session-n')).toEqual(['m3']);
    expect(await messages('--agent', 'codex')).toEqual(['m1']);
    expect(await messages('--agent', 'nobody')).toEqual([]);
    expect(await messages('--since', '2d')).toEqual(['m4', 'm3', 'm2']);
    expect(await messages('--path', 'src')).toEqual(['m2', 'm1']);
    expect(await messages('--path', 'src', '--since', '1w', '--limit', '1')).toEqual(['m2']);
  });

  it('says what fits nothing, and which session or time it does not know', async () => {
    const none = await project.run(['list', '--path', 'src', '--agent', 'nobody']);
    expect(none).toMatchObject({ code: 0, err: 'hint: see all of them with: savepoint list\n' });
    expect(none.out).toMatch(/^No checkpoint in the timeline of .* fits\.\n$/);
    const unknown = await project.run(['list', '--session', 'zzz']);
    expect(unknown).toMatchObject({ code: 4, out: '' });
    expect(unknown.err).toContain('savepoint: no session "zzz"\nhint: ');
    const several = await project.run(['list', '--session', 'session-']);
    expect(several.code).toBe(2);
    expect(several.err).toMatch(/\n {2}session-old {2}10 days ago {2}codex\n/);
    const when = await project.run(['list', '--since', 'soon']);
    expect(when).toMatchObject({ code: 2, out: '' });
    expect(when.err).toMatch(/^savepoint: --since does not understand "soon"\nhint: such as 2h/);
  });

  it('heads each session with its agent, shortened id and state', async () => {
    const { out } = await project.run(['list']);
    const headings = out.split('\n').filter((row) => /^\S/.test(row) && !row.startsWith('@'));
    expect(headings.map((row) => row.replace(/just now|\d+ (second|minute)s? ago/, 'NOW'))).toEqual(
      [
        'helper  sub-agen  active NOW, part of session-n',
        'test-agent  session-n  active NOW',
        'test-agent  s1  active NOW',
        'codex  session-o  active 10 days ago, archived',
      ],
    );
    expect(out).toContain('请整理一下代码');
  });

  it('puts all programs that were run under one heading', async () => {
    const place = new CliProject({ a: 'one\n' });
    await place.run(['run', '--', 'true']);
    await place.run(['run', '--', 'true']);
    const { out } = await place.run(['list']);
    expect(out).toMatch(/^savepoint run\n@ \w{8} .* - {2}true\n {2}\w{8} .* - {2}true\n$/);
    place.remove();
  });

  it('explains itself', async () => {
    const { out } = await project.run(['list', '--help']);
    expect(out).toMatchInlineSnapshot(`
      "usage: savepoint list [options]

      Lists the checkpoints of a project by session, newest first, with how many files and lines changed
      under each. What is taken back is dim and says so; "@" marks where the files stand: the newest
      checkpoint whose work is in them. Those made by hand stand among the others, at their place in time.
      The beginning of an id is enough to name a checkpoint; so is its label, \`latest\`, and \`~N\` for the
      Nth before the latest. What was kept before rewinds is in \`savepoint ops\`; --json lists it too.

      options:
        --session ID   only of this session (the beginning of its id is enough)
        --agent NAME   only of this agent
        --since WHEN   only since then: 2h, 3d, 1w, yesterday, 14:30, 2026-01-31
        --path PATH    only what changed this file, or something in this folder
        --limit N      how many to show, 0 for all (default: 50, or all with --json)
        --stat         count the lines of every checkpoint shown, also with --json
        --no-pager     print everything at once (at a terminal, what is longer than the screen goes
                       through PAGER, or less)
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint list                               the newest 50
        savepoint list --since yesterday --path src  who changed something below src
        savepoint list --limit 0 --json              everything, for a program
      "
    `);
  });
});
