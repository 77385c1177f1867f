import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

const project = new CliProject({ 'a.txt': 'one\n' });
let rewind: { operationId: string | null; safetyCheckpointId: string | null };
let undo: { operationId: string | null };

beforeAll(async () => {
  const first = await project.agentWrites('m1', 'a.txt', 'two\n');
  await project.agentWrites('m2', 'b.txt', 'new\n');
  await project.open(async (savepoint) => {
    rewind = await savepoint.rewind({ to: first });
    undo = await savepoint.undo();
    await savepoint.captureBefore({
      sessionId: 'a-sub-agent',
      parentSessionId: 's1',
      messageId: 'm3',
      agent: 'helper\x1b[31m',
      paths: ['c.txt'],
    });
    await savepoint.archiveSession('a-sub-agent');
  });
});
afterAll(() => project.remove());

const short = (id: string | null): string => id?.slice(0, 8) ?? '';

async function screenOf(...args: string[]): Promise<string> {
  const { code, rows } = await project.see(args, { env: { NO_COLOR: '1' }, columns: 64 });
  expect(code).toBe(0);
  return rows.join('\n');
}

describe('savepoint ops', () => {
  it('is the operation log, newest first, with what became of each', async () => {
    const rows = (await screenOf('ops')).split('\n');
    expect(rows[0]).toMatch(
      new RegExp(`^${short(undo.operationId)} .* undo rewind to message m1$`),
    );
    expect(rows[1]).toMatch(/^ {10}in effect; kept before it: \w{8}$/);
    expect(rows[2]).toMatch(new RegExp(`^${short(rewind.operationId)} .* rewind to message m1$`));
    expect(rows[3]).toBe(
      `          taken back by ${short(undo.operationId)}; kept before it: ${short(rewind.safetyCheckpointId)}`,
    );
    expect(rows[4]).toMatch(/^hint: take one back with: savepoint undo ID/);
  });

  it('prints ids that every command takes', async () => {
    const place = new CliProject({ 'a.txt': 'one\n' });
    await place.agentWrites('5f3a-prompt', 'a.txt', 'two\n');
    const { value } = await place.json(['rewind', '5f3a-prompt']);
    const { operationId, safetyCheckpointId } = value as Record<string, string>;
    const seen = await place.run(['show', operationId?.slice(0, 8) ?? '']);
    expect(seen.out).toMatch(new RegExp(`^Checkpoint +${safetyCheckpointId}`));
    expect(seen.out).toContain(`made before operation ${short(operationId ?? '')}`);
    expect(seen.out).toMatch(new RegExp(`^${short(operationId ?? '')} .* rewind to `, 'm'));
    expect(seen.err).toContain(`savepoint undo ${short(operationId ?? '')}`);
    expect((await place.run(['diff', operationId ?? ''])).out).toContain('-two\n+one\n');
    expect((await place.run(['label', operationId ?? '', 'as it was'])).code).toBe(0);
    expect((await place.run(['rewind', operationId ?? ''])).code).toBe(0);
    expect(place.read('a.txt')).toBe('two\n');
    expect((await place.run(['undo'])).code).toBe(0);
    expect(place.read('a.txt')).toBe('one\n');
    // The checkpoint that was kept before an operation names it for undo.
    expect((await place.run(['undo', safetyCheckpointId ?? ''])).code).toBe(0);
    expect(place.read('a.txt')).toBe('two\n');
    for (const verb of ['show', 'diff']) {
      expect((await place.run([verb, '5f3a-prompt'])).code).toBe(0);
    }
    place.remove();
  });

  it('gives programs all of it, and as many as they want', async () => {
    const { code, out, err } = await project.run(['ops', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expectSchema('ops', out);
    expect(JSON.parse(out).operations).toMatchObject([
      { id: undo.operationId, kind: 'undo', reverts: rewind.operationId, takenBackBy: null },
      { id: rewind.operationId, inEffect: false, takenBackBy: undo.operationId },
    ]);
    const one = await project.run(['ops', '--limit', '1']);
    expect(one.out.split('\n')).toHaveLength(3);
    expect(one.err).toContain('hint: there are older ones: savepoint ops --limit 0\n');
    expect((await project.run(['ops', '--limit', 'x'])).code).toBe(2);
  });

  it('says when nothing was rewound yet', async () => {
    const fresh = new CliProject();
    expect((await fresh.run(['ops'])).out).toBe('Nothing was rewound yet.\n');
    await fresh.open(async () => undefined);
    expect(await fresh.run(['ops'])).toMatchObject({ code: 0, out: 'Nothing was rewound yet.\n' });
    expect(await fresh.run(['sessions'])).toMatchObject({
      code: 0,
      out: 'No session is on record.\n',
    });
    fresh.remove();
  });

  it('explains itself', async () => {
    expect((await project.run(['ops', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint ops [options]

      Shows what was rewound, undone and redone, newest first: whether it is in effect (what it did
      stands) or was taken back, by which operation, and the safety checkpoint that keeps what was there
      before it.

      options:
        --limit N      how many to show, 0 for all (default: 50, or all with --json)
        --no-pager     print everything at once (at a terminal, what is longer than the screen goes
                       through PAGER, or less)
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint ops        the newest 50
        savepoint undo k3m9  take one of them back, wherever it stands in the log
      "
    `);
  });
});

describe('savepoint sessions', () => {
  it('shows who worked, since when, on how much, and for whom', async () => {
    const screen = (await screenOf('sessions')).replace(/\s+/g, ' ');
    const ago = '(just now|\\d+ (seconds|minutes?) ago)';
    expect(screen).toMatch(
      new RegExp(
        `helper\\\\x1b\\[31m a-sub-ag archived, active ${ago}, began ${ago}, 1 checkpoint, 1 file, part of s1`,
      ),
    );
    expect(screen).toMatch(
      new RegExp(`test-agent s1 open, active ${ago}, began ${ago}, 2 checkpoints, 2 files`),
    );
  });

  it('gives programs all of it, and those of one agent alone', async () => {
    const { code, out, err } = await project.run(['sessions', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expectSchema('sessions', out);
    const all = JSON.parse(out).sessions as { id: string }[];
    expect(all.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([
      { id: 'a-sub-agent', rootId: 's1', state: 'archived', checkpoints: 1, files: 1 },
      { id: 's1', rootId: 's1', agent: 'test-agent', state: 'open', archivedAt: null, files: 2 },
    ]);
    expect(await project.run(['sessions', '--agent', 'nobody'])).toEqual({
      code: 0,
      out: 'No session of the agent "nobody" is on record.\n',
      err: 'hint: see all of them with: savepoint sessions\n',
    });
    const one = await project.run(['sessions', '--agent', 'test-agent', '--quiet']);
    expect(one.err).toBe('');
    expect(one.out).toMatch(/^test-agent {2}s1 {2}open, .*\n$/);
    expect((await project.run(['sessions', 'extra'])).code).toBe(2);
  });

  it('explains itself', async () => {
    expect((await project.run(['sessions', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint sessions [options]

      Shows every session on record, most recently active first: its agent, when it began and was last
      active, how many checkpoints and files it has, whether it is open, ended or archived, and to which
      session it belongs if it is a sub-agent or a continuation. For a project on a database server,
      --everywhere shows those of its other worktrees too, which \`savepoint takeover\` brings here.

      options:
        --agent NAME   only of this agent
        --everywhere   also those of other machines that work on this project
        --limit N      how many to show, 0 for all (default: 50, or all with --json)
        --no-pager     print everything at once (at a terminal, what is longer than the screen goes
                       through PAGER, or less)
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint sessions               the newest 50
        savepoint sessions --everywhere  of all machines
        savepoint list --session 5f3a    the checkpoints of one of them
      "
    `);
  });
});
