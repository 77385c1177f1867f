import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

const DAY = 24 * 60 * 60 * 1000;
let project: CliProject;
let ids: string[];
beforeEach(async () => {
  project = new CliProject();
  ids = [];
  for (let n = 1; n <= 4; n += 1) ids.push(await project.agentWrites(`m${n}`, 'a.txt', `${n}\n`));
});
afterEach(() => project.remove());

it('shows what would go, and how much would come back at most', async () => {
  const { code, out, err } = await project.run(['prune', '--keep', '2', '--dry-run']);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^ {2}${ids[1]?.slice(0, 8)} +just now +message m2$`, 'm'));
  expect(out).toMatch(
    /Dry run, nothing was removed\. It would be: 2 checkpoints, 2 changes; up to /,
  );
  expect(err).toContain('without --dry-run');
  expect((await project.run(['list'])).out).toContain('message m1');
});

it('removes it, says what came back, and has nothing to do afterwards', async () => {
  const { code, out } = await project.run(['prune', '--keep', '2', '--quiet']);
  expect(code).toBe(0);
  expect(out).toMatch(/^Removed 2 checkpoints, 2 changes; .* came back\. The store takes up /m);
  expect((await project.run(['list'])).out).not.toContain('message m2');
  const again = await project.run(['prune', '--keep', '2']);
  expect(again).toMatchObject({ code: 5, out: expect.stringMatching(/^Nothing to remove\. /) });
});

it('never offers a labelled checkpoint unless told to', async () => {
  await project.run(['label', ids[0] ?? '', 'keep me']);
  await project.open((savepoint) => savepoint.checkpoint({ label: 'by hand' }));
  const args = ['prune', '--keep', '1', '--max-size', '0'];
  const shown = await project.run([...args, '--dry-run']);
  expect(shown.out).toContain('It would be: 2 checkpoints,');
  expect(shown.out).not.toMatch(/message m1|by hand/);
  expect(shown.out).toContain('1 checkpoint stays because it has a label; --labelled ');
  expect((await project.run(args)).code).toBe(0);
  const { out } = await project.run(['list']);
  expect(out).toMatch(/\[keep me\] message m1/);
  expect(out).not.toContain('message m2');
  expect((await project.run(args)).code).toBe(5);
  expect((await project.run([...args, '--labelled'])).out).toContain('Removed 1 checkpoint, ');
  expect((await project.run(['list'])).out).not.toContain('message m1');
});

it('keeps an archived session for its labelled checkpoint, and nothing else of it', async () => {
  await project.run(['label', ids[1] ?? '', 'keep me']);
  await project.open((savepoint) => savepoint.archiveSession('s1'));
  const env = { SAVEPOINT_RETENTION_DAYS: '0' };
  expect((await project.run(['prune'], { env })).out).toContain('Removed 3 checkpoints, ');
  expect((await project.run(['list'])).out).toMatch(/s1 .*\n.*\[keep me\] message m2\n$/);
  expect((await project.run(['rewind', 'keep me'])).code).toBe(0);
  expect(project.read('a.txt')).toBe('1\n');
  const all = await project.run(['prune', '--labelled'], { env });
  expect(all.out).toMatch(/Removed 1 checkpoint, 1 session/);
});

it('prints JSON as the published schema says', async () => {
  const dry = await project.run(['prune', '--json', '--keep', '1', '--dry-run']);
  expectSchema('prune', dry.out);
  expect(JSON.parse(dry.out)).toMatchObject({ dryRun: true, freedBytes: null });
  const real = await project.run(['prune', '--json', '--keep', '1']);
  expectSchema('prune', real.out);
  const { checkpoints } = JSON.parse(real.out) as { checkpoints: { id: string }[] };
  expect(checkpoints.map(({ id }) => id)).toEqual(ids.slice(0, 3).toReversed());
});

it.each([
  [['--older-than', 'long'], 'savepoint: --older-than must be an age'],
  [['--keep', '0'], 'savepoint: --keep must be a number from 1 on'],
  [['--max-size', 'big'], 'savepoint: --max-size must be a size'],
  [['--session', 's1'], 'savepoint: what of the session?'],
])('answers %j with exit code 2', async (args, message) => {
  const { code, err } = await project.run(['prune', ...args]);
  expect({ code, begins: err.startsWith(message) }).toEqual({ code: 2, begins: true });
});

it('finds no session of another name, and follows the configuration', async () => {
  expect((await project.run(['prune', '--keep', '1', '--session', 'x'])).code).toBe(4);
  const env = { SAVEPOINT_MAX_CHECKPOINTS_PER_SESSION: '3' };
  const { out } = await project.run(['prune'], { env });
  expect(out).toContain('Removed 1 checkpoint, ');
});

it('names the executions that go, and refuses their ids afterwards', async () => {
  await project.openAt(Date.now() - 31 * DAY, async (savepoint) => {
    for (const [id, ends] of [['build', true] as const, ['half', false] as const]) {
      const run = await savepoint.execution(id);
      await run.step('one', () => 1);
      await (ends ? run.finish() : run.close());
    }
  });
  const dry = await project.run(['prune', '--dry-run']);
  expect(dry.out).toMatch(/^ {2}execution build {2}with its steps; the id stays taken$/m);
  expect(dry.out).toContain('1 session, 1 execution, ');
  const { out } = await project.run(['prune', '--json']);
  expectSchema('prune', out);
  expect(JSON.parse(out)).toMatchObject({ executions: ['build'] });
  expect((await project.run(['executions'])).out).not.toContain('build');
  const shown = await project.run(['executions', 'show', 'build']);
  expect(shown.code).not.toBe(0);
  expect(shown.err).toContain('the steps of build were removed by prune or retention');
  const rest = await project.run(['prune', '--session', 'execution-half', '--older-than', '1d']);
  expect(rest.out).toContain('Removed 1 checkpoint, 1 session, 1 execution, ');
});

it('works at a terminal', async () => {
  const options = { columns: 60, answers: ['y'] };
  const { code, rows } = await project.see(['prune', '--max-size', '0'], options);
  expect(code).toBe(0);
  const screen = rows.join('\n');
  expect(screen).toMatch(
    /message m3\n.*message m2\n.*message m1\n(.*\n)*Remove 3 checkpoints, 3 changes\? It cannot be undone\. \[y\/N\] y\n/,
  );
  expect(screen).toContain('Removed 3 checkpoints, 3 changes;');
  expect(screen.match(/message m1/g)).toHaveLength(1);
  expect(rows).toContain('hint: see what is left with: savepoint list');
});

it('removes nothing at a terminal without a yes, and asks nobody who gave it beforehand', async () => {
  const unsure = await project.see(['prune', '--keep', '2'], { answers: [''] });
  expect(unsure.code).toBe(130);
  expect(unsure.raw).toContain('[y/N]');
  expect(unsure.rows).toContain('Nothing was removed.');
  expect((await project.run(['list'])).out).toContain('message m1');
  const sure = await project.see(['prune', '--keep', '2', '--yes']);
  expect(sure.code).toBe(0);
  expect(sure.raw).not.toContain('[y/N]');
});

it('explains itself', async () => {
  expect((await project.run(['prune', '--help'])).out).toMatchInlineSnapshot(`
    "usage: savepoint prune [options]

    Removes checkpoints by age, number or size, the oldest first, and the contents that nothing else
    needs. A checkpoint that is left can be returned to wholly. The newest checkpoint of a session stays
    until the session is archived, and so does the newest operation. A run stays until it has ended.
    Checkpoints with a label stay unless --labelled is given. An execution that has not finished stays
    with its steps, unless --session names its session. Your files are not touched. Without an option,
    what the configured retention no longer keeps. This cannot be undone, so it asks at a terminal;
    elsewhere, where nobody could be asked, it goes ahead.

    options:
      --older-than AGE  checkpoints and operations made longer ago: 12h, 30d, 2w
      --keep N          all but the newest N checkpoints of each session
      --max-size BYTES  the oldest, until the store holds no more: 500MB, 2GiB
      --session ID      only checkpoints of this session
      --labelled        also checkpoints that have a label
      --dry-run         show what would be removed, and remove nothing
      --yes             do not ask
      --project DIR     the project; by default the one around the current folder
      --json            print JSON for programs, and nothing else, on standard output
      --quiet           print results and problems, no remarks and no hints
      --no-color        no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
      --help            show this help

    examples:
      savepoint prune --dry-run         what the configured retention no longer keeps
      savepoint prune --older-than 30d  a month is enough
      savepoint prune --max-size 1GB    the oldest, until it fits
    "
  `);
});
