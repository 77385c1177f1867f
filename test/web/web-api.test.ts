import { renameSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  ApplyAnswer,
  CheckpointAnswer,
  DiffAnswer,
  ErrorAnswer,
  ExecutionAnswer,
  ExecutionsAnswer,
  FileAnswer,
  FsckAnswer,
  LinesAnswer,
  PlanAnswer,
  PlanLineAnswer,
  ProjectsAnswer,
  PruneAnswer,
  StateAnswer,
  StoreAnswer,
  TimelineAnswer,
  WhyAnswer,
} from '../../src/web/api.ts';
import { Plans } from '../../src/web/server/plans.ts';
import { timelineAnswer } from '../../src/web/server/timeline-answer.ts';
import { makeWebBed, type WebBed } from './web-bed.ts';

let web: WebBed;
beforeEach(async () => {
  web = await makeWebBed({ retentionOf: () => ({ maxCheckpointsPerSession: 1 }) });
});
afterEach(() => web.close());

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');

async function record(): Promise<void> {
  const { bed } = web;
  bed.put('a', text('old'));
  await bed.tool('m1', ['a'], () => bed.put('a', text('old', 'new')), {
    agent: 'codex',
    toolCallId: 't1',
    description: 'add a line\nand say so',
  });
  await bed.tool('m2', ['b', 'c.svg'], () => {
    bed.put('b', text('one', 'two'));
    bed.put('c.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
}

describe('projects and timeline', () => {
  it('says where to go on when a filter has looked at as many as it may', async () => {
    for (const at of [1, 2, 3, 4, 5]) {
      await web.bed.savepoint.checkpoint({ description: at === 1 ? 'the needle' : `hay ${at}` });
    }
    const ask = (before?: number): Promise<TimelineAnswer> =>
      timelineAnswer(
        web.bed.savepoint,
        { limit: 10, lookAt: 2, text: 'needle', before },
        new Map(),
      );
    const found: string[] = [];
    let next: number | undefined;
    do {
      const answer = await ask(next);
      found.push(...answer.points.map(({ title }) => title));
      next = answer.next ?? undefined;
    } while (next !== undefined);
    expect(found).toEqual(['the needle']);
    expect((await ask()).points).toEqual([]);
  });

  it('lists every project of the home with its agents', async () => {
    await record();
    const response = await fetch(`${web.server.url}api/projects`, { headers: web.headers() });
    const { projects } = (await response.json()) as ProjectsAnswer;
    expect(projects).toMatchObject([
      { id: web.id, root: web.bed.root, agents: ['codex'], checkpoints: 2, health: 'ok' },
    ]);
    renameSync(web.bed.root, `${web.bed.root}-away`);
    const again = await fetch(`${web.server.url}api/projects`, { headers: web.headers() });
    expect(((await again.json()) as ProjectsAnswer).projects).toMatchObject([
      { health: 'missing', problem: { code: 'project-missing' } },
    ]);
    renameSync(`${web.bed.root}-away`, web.bed.root);
  });

  it('shows checkpoints in lanes, short, newest first, in pages', async () => {
    await record();
    const all = await web.get<TimelineAnswer>('timeline');
    expect(all.lanes).toMatchObject([{ id: 'agent', agent: 'codex', isRun: false }]);
    expect(all.points).toMatchObject([
      { lane: 0, kind: 'message', files: 2 },
      { lane: 0, title: 'add a line', files: 1 },
    ]);
    expect(all.points[1]).not.toHaveProperty('takenBack');
    const first = await web.get<TimelineAnswer>('timeline?limit=1');
    expect(first.points).toHaveLength(1);
    const second = await web.get<TimelineAnswer>(`timeline?limit=1&before=${first.next}`);
    expect(second.points[0]?.id).toBe(all.points[1]?.id);
    expect(second.next).toBeNull();
    const ids = all.points.map(({ id }) => id);
    const { lines } = await web.post<LinesAnswer>('lines', { ids });
    expect(Object.values(lines)).toContainEqual({ insertions: 1, deletions: 0 });
  });

  it('filters by text, path, agent and date', async () => {
    await record();
    const count = async (query: string): Promise<number> =>
      (await web.get<TimelineAnswer>(`timeline?${query}`)).points.length;
    expect(await count('text=ADD%20A')).toBe(1);
    expect(await count('path=b')).toBe(1);
    expect(await count('agent=codex')).toBe(2);
    expect(await count('agent=other')).toBe(0);
    expect(await count('since=2000-01-01')).toBe(2);
    expect(await count('until=2000-01-01')).toBe(0);
    expect(await count('kind=manual')).toBe(0);
  });

  it('says what a rewind took back, also when it was undone', async () => {
    await record();
    const [, first] = (await web.get<TimelineAnswer>('timeline')).points;
    await web.bed.savepoint.rewind({ to: first?.id ?? '' });
    const after = await web.get<TimelineAnswer>('timeline');
    expect(after.points.map(({ takenBack }) => takenBack)).toEqual(['yes', 'yes']);
    const took = after.points.map(({ id }) => id).toSorted();
    expect(after.operations.map((one) => one.tookBack.toSorted())).toEqual([took]);
    expect(after.undo).toMatchObject({ kind: 'operation', id: after.operations[0]?.id });
    await web.bed.savepoint.undo();
    const undone = await web.get<TimelineAnswer>('timeline');
    expect(undone.operations.map((one) => one.tookBack.toSorted())).toEqual([took, took]);
    expect(undone.points[0]).not.toHaveProperty('takenBack');
  });
});

describe('a checkpoint', () => {
  it('shows the whole prompt, its calls and its files', async () => {
    await record();
    const { points } = await web.get<TimelineAnswer>('timeline');
    const seen = await web.get<CheckpointAnswer>(`checkpoints/${points[1]?.id}`);
    expect(seen).toMatchObject({
      checkpoint: { description: 'add a line\nand say so', insertions: 1 },
      calls: [{ toolCallId: 't1', origin: 'tool', changes: [{ path: 'a', attribution: 'exact' }] }],
      files: [{ path: 'a', status: 'modified', insertions: 1, deletions: 0, takenBack: 'no' }],
      previous: null,
      next: points[0]?.id,
    });
    const diff = await web.get<DiffAnswer>(`checkpoints/${points[1]?.id}/diff?path=a`);
    expect(diff).toMatchObject({
      before: { text: 'old\n', why: null },
      after: { text: 'old\nnew\n' },
    });
    const change = seen.calls[0]?.changes[0]?.seq;
    const same = await web.get<DiffAnswer>(`changes/${change}/diff?path=a`);
    expect(same).toEqual(diff);
    await web.get<ErrorAnswer>(`changes/${change}/diff?path=b`, 404);
  });

  it('finds renames, and gives images as bytes that cannot run', async () => {
    await record();
    await web.bed.tool('m3', ['b', 'd'], () => renameSync(web.bed.at('b'), web.bed.at('d')));
    const { points } = await web.get<TimelineAnswer>('timeline');
    const seen = await web.get<CheckpointAnswer>(`checkpoints/${points[0]?.id}`);
    expect(seen.files).toMatchObject([{ path: 'd', status: 'renamed', from: 'b' }]);
    const diff = await web.get<DiffAnswer>(`checkpoints/${points[0]?.id}/diff?path=d&from=b`);
    expect(diff).toMatchObject({ status: 'renamed', before: { text: 'one\ntwo\n' } });
    const image = await web.get<DiffAnswer>(`checkpoints/${points[1]?.id}/diff?path=c.svg`);
    expect(image.after.image).toBe('image/svg+xml');
    const state = image.after.state as { blob: string };
    const address = web.at(`blobs/${state.blob}?type=image/svg%2Bxml`);
    const response = await fetch(address, { headers: web.headers() });
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(await response.text()).toContain('<svg');
  });

  it('says what is binary, too large or not on record', async () => {
    await web.bed.write('m1', 'x.bin', new Uint8Array([0, 1, 2]));
    await web.bed.write('m1', 'big', 'x\n'.repeat(1_100_000));
    const { points } = await web.get<TimelineAnswer>('timeline');
    const diff = (path: string) =>
      web.get<DiffAnswer>(`checkpoints/${points[0]?.id}/diff?path=${path}`);
    expect((await diff('x.bin')).after).toMatchObject({ text: null, why: 'binary' });
    expect((await diff('big')).after).toMatchObject({ text: null, why: 'too-large' });
    expect((await diff('big')).before).toMatchObject({ text: null, why: 'absent' });
    await web.get<ErrorAnswer>(`checkpoints/${points[0]?.id}/diff?path=nowhere`, 404);
  });
});

describe('a rewind', () => {
  const plan = (more: object = {}): Promise<PlanAnswer> =>
    web.post('plans', { kind: 'rewind', to: 'latest', ...more });

  it('is shown, carried out by its name and digest, and undone', async () => {
    await record();
    const made = await plan();
    expect(made.lines).toMatchObject([
      { path: 'b', action: 'delete', deletions: 2 },
      { path: 'c.svg', action: 'delete' },
    ]);
    expect(web.bed.text('b')).toBe(text('one', 'two'));
    const wrong = await web.post<ErrorAnswer>(`plans/${made.planId}/apply`, { digest: 'x' }, 400);
    expect(wrong.error.code).toBe('request-invalid');
    const { digest } = made;
    const done = await web.post<ApplyAnswer>(`plans/${made.planId}/apply`, { digest });
    expect(done.receipt).toMatchObject({ success: true, deletedFiles: ['b', 'c.svg'] });
    expect(() => web.bed.text('b')).toThrow();
    const twice = await web.post<ErrorAnswer>(`plans/${made.planId}/apply`, { digest }, 404);
    expect(twice.error.code).toBe('plan-unknown');
    const undo = await web.post<PlanAnswer>('plans', {
      kind: 'undo',
      operationId: done.undo?.id,
    });
    await web.post(`plans/${undo.planId}/apply`, { digest: undo.digest });
    expect(web.bed.text('b')).toBe(text('one', 'two'));
  });

  it('refuses a stale plan, touches nothing, and makes a new one', async () => {
    await record();
    const made = await plan({ paths: ['b'] });
    web.bed.put('b', text('one', 'two', 'mine'));
    const { digest } = made;
    const stale = await web.post<ErrorAnswer>(`plans/${made.planId}/apply`, { digest }, 409);
    expect(stale.error.code).toBe('plan-stale');
    await web.post<ErrorAnswer>(`plans/${made.planId}/apply`, { digest }, 404);
    const { lines } = await plan({ paths: ['b'] });
    expect(lines).toMatchObject([{ path: 'b', action: 'conflict', decidable: true }]);
    expect(web.bed.text('b')).toBe(text('one', 'two', 'mine'));
  });

  it('marks the lines that a person wrote, and that stay', async () => {
    await web.bed.write('m0', 'a', text('1', '2', '3', '4', '5'));
    await web.bed.write('m1', 'a', text('1', 'AGENT', '3', '4', '5'));
    web.bed.put('a', text('1', 'AGENT', '3', '4', 'MINE'));
    const made = await plan();
    expect(made.lines).toMatchObject([{ path: 'a', action: 'merge', stays: 1 }]);
    const line = await web.get<PlanLineAnswer>(`plans/${made.planId}/lines/0`);
    expect(line.stays).toEqual([{ from: 5, to: 5 }]);
    expect(line.target.text).toBe(text('1', '2', '3', '4', 'MINE'));
    expect(line.now.text).toBe(text('1', 'AGENT', '3', '4', 'MINE'));
  });

  it('takes back the hunks that were chosen, and no others', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `${i}`);
    await web.bed.write('m0', 'a', text(...lines));
    await web.bed.write('m1', 'a', text('first', ...lines.slice(1, -1), 'last'));
    const made = await plan();
    expect(made.lines).toMatchObject([{ hunks: { total: 2, taken: 2 } }]);
    const { hunks } = await web.get<PlanLineAnswer>(`plans/${made.planId}/lines/0`);
    const [one] = hunks;
    expect(one?.lines.filter(({ kind }) => kind !== 'context')).toMatchObject([
      { kind: 'remove', text: 'first' },
      { kind: 'add', text: '0' },
    ]);
    const none = await plan({ hunks: [{ path: 'a', take: [] }] });
    expect(none.lines).toMatchObject([{ action: 'keep', hunks: { total: 2, taken: 0 } }]);
    const chosen = await plan({ hunks: [{ path: 'a', take: [one?.id] }] });
    expect(chosen.lines).toMatchObject([{ hunks: { total: 2, taken: 1 } }]);
    const shown = await web.get<PlanLineAnswer>(`plans/${chosen.planId}/lines/0`);
    expect(shown.hunks.map(({ taken }) => taken)).toEqual([true, false]);
    await web.post(`plans/${chosen.planId}/apply`, { digest: chosen.digest });
    expect(web.bed.text('a')).toBe(text(...lines.slice(0, -1), 'last'));
  });

  it.each([
    ['once', 1],
    ['again and again', Number.POSITIVE_INFINITY],
  ])('shows every file that it takes back, where an agent writes %s meanwhile', async (_, most) => {
    const { bed } = web;
    const { savepoint } = bed;
    bed.put('a', text('1'));
    await bed.write('m1', 'a', text('2'));
    const to = await bed.idOf('m1');
    const planRewind = savepoint.planRewind.bind(savepoint);
    let written = 0;
    // The agent writes between the plan of all hunks and that of the chosen ones.
    vi.spyOn(savepoint, 'planRewind').mockImplementation(async (request) => {
      if (request.hunks !== undefined && written < most) {
        written += 1;
        await bed.write('m2', `new-${written}`, 'agent');
      }
      return planRewind(request);
    });
    const plans = new Plans();
    const hunks = [{ path: 'a', take: [] }];
    const made = await plans.make(web.id, savepoint, { kind: 'rewind', to, hunks });
    const shown = made.lines.map(({ path, action }) => `${action} ${path}`);
    const created = Array.from({ length: written }, (_one, i) => `new-${i + 1}`);
    expect(shown).toEqual(['keep a', ...created.map((path) => `delete ${path}`)]);
    expect(made.counts.work).toBe(written);
    // Planned again, the hunks of the new file can be chosen as well; where the agent does not rest, not those of the last.
    const undivided = made.lines.filter((line) => line.hunks === null);
    expect(undivided).toHaveLength(most === 1 ? 0 : 1);
    const { receipt } = await plans.apply(web.id, savepoint, made.planId, made);
    expect(receipt).toMatchObject({ deletedFiles: created });
    expect(bed.text('a')).toBe(text('2'));
  });

  it('takes back hunks that a request names of a file whose hunks it does not show', async () => {
    const many = Array.from({ length: 500 }, (_, i) => `f${i}`);
    const lines = Array.from({ length: 12 }, (_, i) => `${i}`);
    await web.bed.write('m0', 'z', text(...lines));
    await web.bed.tool('m1', [...many, 'z'], () => {
      for (const path of many) web.bed.put(path, text('new'));
      web.bed.put('z', text('first', ...lines.slice(1, -1), 'last'));
    });
    const { lines: planned } = await web.bed.savepoint.planRewind({ to: await web.bed.idOf('m1') });
    const last = planned.find(({ path }) => path === 'z');
    const [one] = last === undefined ? [] : await web.bed.savepoint.planHunks(last);
    const others = many.map((path) => ({ path, take: [] }));
    const made = await plan({ hunks: [...others, { path: 'z', take: [one?.id] }] });
    expect(made.lines[500]).toMatchObject({ path: 'z', action: 'merge', hunks: null });
    await web.post(`plans/${made.planId}/apply`, { digest: made.digest });
    expect(web.bed.text('z')).toBe(text(...lines.slice(0, -1), 'last'));
    expect(web.bed.text('f0')).toBe(text('new'));
  });

  it('shows both sides of a conflict, and takes what the person decided', async () => {
    await web.bed.write('m0', 'a', text('1', 'ü', '3'));
    await web.bed.write('m1', 'a', text('1', 'AGENT', '3'));
    web.bed.put('a', text('1', 'MINE', '3'));
    const made = await plan();
    expect(made.counts).toMatchObject({ conflicts: 1, work: 0 });
    const { conflict } = await web.get<PlanLineAnswer>(`plans/${made.planId}/lines/0`);
    expect(conflict?.pieces?.filter(({ kind }) => kind === 'conflict')).toEqual([
      { kind: 'conflict', mine: 'MINE\n', theirs: 'ü\n' },
    ]);
    const { stamp = '' } = made.lines[0] ?? {};
    const content = text('1', 'MINE', 'ü', '3');
    const resolutions = [{ path: 'a', take: { content }, stamp }];
    const resolved = await plan({ resolutions });
    expect(resolved.lines).toMatchObject([{ action: 'merge', decided: 'content' }]);
    await web.post(`plans/${resolved.planId}/apply`, { digest: resolved.digest });
    expect(web.bed.text('a')).toBe(content);
  });
});

describe('a file', () => {
  it('has a life, and an author for each line', async () => {
    await record();
    web.bed.put('a', text('old', 'new', 'mine'));
    const file = await web.get<FileAnswer>('file?path=a');
    expect(file.events).toMatchObject([
      { change: 'modified', author: { kind: 'agent', agent: 'codex', title: 'add a line' } },
    ]);
    const why = await web.get<WhyAnswer>('why?path=a');
    const kinds = why.lines.map(({ from, to, author }) => [from, to, why.authors[author]?.kind]);
    expect(kinds).toEqual([
      [1, 1, 'before'],
      [2, 2, 'agent'],
      [3, 3, 'you'],
    ]);
    expect(why.now.text).toBe(text('old', 'new', 'mine'));
    await web.get<ErrorAnswer>('file?path=nowhere', 404);
  });

  it('has a name that is not UTF-8', async () => {
    const name = Buffer.from([0x66, 0xff, 0x6f]);
    const at = Buffer.concat([Buffer.from(`${web.bed.root}/`), name]);
    await web.bed.tool('m1', [name], () => writeFileSync(at, 'x\n'));
    const { points } = await web.get<TimelineAnswer>('timeline');
    const seen = await web.get<CheckpointAnswer>(`checkpoints/${points[0]?.id}`);
    const bytes = Object.values(seen.pathBytes)[0] ?? '';
    expect(Buffer.from(bytes, 'base64')).toEqual(name);
    const query = new URLSearchParams({ pathBytes: bytes });
    const diff = await web.get<DiffAnswer>(`checkpoints/${points[0]?.id}/diff?${query}`);
    expect(diff.after.text).toBe('x\n');
  });
});

describe('executions and the store', () => {
  it('shows steps, state as a tree with its differences, and rolls back', async () => {
    const run = await web.bed.savepoint.execution<{ items: string[] }>('job', {
      state: { items: [] },
    });
    await run.step('one', async ({ state }) => void state.items.push('a'));
    await run.step('two', async ({ state, effect }) => {
      await effect('mail');
      state.items.push('b');
    });
    await run.close();
    const all = await web.get<ExecutionsAnswer>('executions');
    expect(all.executions).toMatchObject([{ id: 'job', kind: 'steps', done: 2 }]);
    const seen = await web.get<ExecutionAnswer>('executions/steps/job');
    expect(seen.steps.map(({ name }) => name)).toEqual(['one', 'two']);
    const state = await web.get<StateAnswer>('executions/steps/job/state?step=1');
    expect(state.differences).toEqual([
      { path: 'state.items[1]', kind: 'added', before: null, after: '"b"' },
    ]);
    expect(state.tree.children?.map(({ key }) => key)).toContain('state');
    const plan = await web.post<PlanAnswer>('plans', {
      kind: 'rollback',
      executionId: 'job',
      executionKind: 'steps',
      to: 0,
    });
    expect(plan.rollback).toMatchObject({
      steps: [{ name: 'two' }],
      effects: [{ description: 'mail' }],
    });
    const { digest } = plan;
    const refused = await web.post<ErrorAnswer>(`plans/${plan.planId}/apply`, { digest }, 409);
    expect(refused.error.code).toBe('execution-effects');
    await web.post(`plans/${plan.planId}/apply`, { digest, acceptEffects: true });
    const after = await web.get<ExecutionsAnswer>('executions');
    expect(after.executions).toMatchObject([{ done: 1 }]);
    await web.post('executions/steps/job/fork', { id: 'job-2', step: 0 });
    await web.post('executions/steps/job/resume', { dryRun: true });
    expect((await web.get<ExecutionsAnswer>('executions')).executions).toHaveLength(2);
  });

  it('shows disk, prune and health', async () => {
    await record();
    const store = await web.get<StoreAnswer>('store');
    expect(store.sessions).toMatchObject([{ id: 'agent', checkpoints: 2, files: 3 }]);
    expect(store.diskBytes).toBeGreaterThan(0);
    const prune = await web.post<PruneAnswer>('prune', { keep: 1 });
    expect(prune.checkpoints).toBe(1);
    expect((await web.get<TimelineAnswer>('timeline')).points).toHaveLength(2);
    const configured = await web.post<PruneAnswer>('prune', {});
    expect(configured.checkpoints).toBe(1);
    const fsck = await web.post<FsckAnswer>('fsck', {});
    expect(fsck).toMatchObject({ readable: true, problems: [] });
  });

  it('checks a store that is too damaged to be opened', async () => {
    await record();
    await web.bed.damageStore();
    await web.get<ErrorAnswer>('store', 500);
    const response = await fetch(`${web.server.url}api/projects`, { headers: web.headers() });
    expect(await response.json()).toMatchObject({ projects: [{ id: web.id, health: 'damaged' }] });
    const fsck = await web.post<FsckAnswer>('fsck', {});
    expect(fsck.readable).toBe(false);
    expect(fsck.problems[0]).toMatchObject({ kind: 'database', file: 'store.db' });
  });

  it('says of a store on a server that its files are not here', async () => {
    const other = await makeWebBed({ isOnServer: () => true });
    const { error } = await other.post<ErrorAnswer>('fsck', {}, 409);
    expect(error.code).toBe('store-on-server');
    await other.close();
  });
});
