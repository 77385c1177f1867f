import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Savepoint, ScanReport } from '../../src/index.ts';
import { authorsOf, command, message, withProject } from './agent-work.ts';

const place = withProject();

const agents: ChildProcess[] = [];
afterEach(() => {
  for (const agent of agents.splice(0)) agent.kill('SIGKILL');
});

/** The process of an agent, which lives on while hooks come and go. */
function startAgent(): { readonly owner: { readonly processId: number }; die(): Promise<void> } {
  const agent = spawn('sleep', ['600'], { stdio: 'ignore' });
  agents.push(agent);
  const die = async (): Promise<void> => {
    agent.kill('SIGKILL');
    await once(agent, 'exit');
  };
  return { owner: { processId: agent.pid ?? 0 }, die };
}

const CALL = { sessionId: 'agent', messageId: 'm1', toolCallId: 'call-1' };
const FILE = 'src/main.txt';
const WAS = 'one\ntwo\nthree\nfour\nfive\n';

function authors({ changes }: Pick<ScanReport, 'changes'>): (readonly unknown[])[] {
  return changes.map(({ path, sessionId, attribution }) => [path, sessionId, attribution]);
}

/** What a rewind to a message would do, path by path. */
async function planned(savepoint: Savepoint, to: string, includeShared = false) {
  const { lines } = await savepoint.planRewind({ to, includeShared });
  return lines.map(({ path, action, reason = null }) => [path, action, reason]);
}

describe('an agent whose process is known', () => {
  it('is busy in the middle of an edit until it is forced, or dies', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const agent = startAgent();
    await savepoint.captureBefore({ ...CALL, owner: agent.owner, paths: [FILE] });
    project.write(FILE, 'half');
    await expect(savepoint.rewind({ to })).rejects.toMatchObject({ code: 'session-busy' });
    expect(await planned(savepoint, to).catch(({ code }) => code)).toBe('session-busy');
    expect((await savepoint.planRewind({ to, force: true })).lines).toMatchObject([{ path: FILE }]);
    await agent.die();
    expect((await savepoint.planRewind({ to })).lines).toMatchObject([{ path: FILE }]);
  });

  it('is busy in the middle of a command until it is forced, or dies', async () => {
    const { savepoint } = place;
    const { id: to } = await message(savepoint);
    const agent = startAgent();
    await savepoint.openWindow({ ...CALL, owner: agent.owner });
    await expect(savepoint.rewind({ to })).rejects.toMatchObject({ code: 'session-busy' });
    expect((await savepoint.rewind({ to, force: true })).success).toBe(true);
    await agent.die();
    expect((await savepoint.rewind({ to })).success).toBe(true);
  });

  it('keeps a plan from being carried out that was made before its command began', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    await command(savepoint, () => project.write(FILE, 'agent'));
    const plan = await savepoint.planRewind({ to });
    const forced = await savepoint.planRewind({ to, force: true });
    const agent = startAgent();
    await savepoint.openWindow({ ...CALL, owner: agent.owner });
    await expect(savepoint.apply(plan)).rejects.toMatchObject({ code: 'session-busy' });
    expect(project.read(FILE)).toBe('agent');
    expect((await savepoint.apply(forced)).success).toBe(true);
    expect(project.read(FILE)).toBe(WAS);
  });

  it('is not in the way of a plan from before once it died', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    await command(savepoint, () => project.write(FILE, 'agent'));
    const plan = await savepoint.planRewind({ to });
    const agent = startAgent();
    await savepoint.openWindow({ ...CALL, owner: agent.owner });
    await agent.die();
    expect((await savepoint.apply(plan)).success).toBe(true);
    expect(project.read(FILE)).toBe(WAS);
  });

  it('ends its command when it dies: what was found since the command began is not certain', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const agent = startAgent();
    await savepoint.openWindow({ ...CALL, owner: agent.owner });
    project.write('early.txt', 'the command, or a person after an interrupt that nobody told');
    expect(authors(await savepoint.scan())).toEqual([['early.txt', 'agent', 'inferred']]);
    project.write('late.txt', 'before or after its death');
    await agent.die();
    expect(authors(await savepoint.scan())).toEqual([['late.txt', 'agent', 'shared']]);
    expect((await savepoint.status()).running).toEqual([]);
    project.write('later.txt', 'a person');
    expect(authors(await savepoint.scan())).toEqual([['later.txt', null, 'exact']]);
    expect(await planned(savepoint, to)).toEqual([
      ['early.txt', 'skip', 'shared-attribution'],
      ['late.txt', 'skip', 'shared-attribution'],
    ]);
  });

  it("does not make another session's later commands uncertain when it is dead", async () => {
    const { project, savepoint } = place;
    const agent = startAgent();
    await savepoint.openWindow({ ...CALL, owner: agent.owner });
    await agent.die();
    const { owner } = startAgent();
    const other = { sessionId: 'other', messageId: 'n1', toolCallId: 'call-2' };
    const { checkpointId } = await savepoint.openWindow({ ...other, owner });
    project.write('new.txt', 'other');
    const report = await savepoint.closeCall(other);
    expect(report && authors(report)).toEqual([['new.txt', 'other', 'inferred']]);
    expect(await planned(savepoint, checkpointId)).toEqual([['new.txt', 'delete', null]]);
  });

  it('ends its edit when it dies: the next scan records the file, and it is not certain', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const agent = startAgent();
    await savepoint.captureBefore({ ...CALL, owner: agent.owner, paths: [FILE, 'docs/guide.md'] });
    project.write(FILE, 'the agent, or a person');
    await agent.die();
    await savepoint.scan();
    expect(await authorsOf(savepoint, FILE)).toEqual([['tool', 'agent', 'shared']]);
    expect(await planned(savepoint, to)).toEqual([
      ['docs/guide.md', 'already-there', null],
      [FILE, 'skip', 'shared-attribution'],
    ]);
    await savepoint.rewind({ to, includeShared: true });
    expect(project.read(FILE)).toBe(WAS);
  });

  it('runs as long as its session has not ended', async () => {
    const { savepoint } = place;
    const [first, second] = [startAgent(), startAgent()];
    const running = () => savepoint.isRunning('agent');
    expect(await running()).toBe(false);
    await savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1', owner: first.owner });
    expect(await running()).toBe(true);
    await first.die();
    expect(await running()).toBe(false);
    await savepoint.captureBefore({ ...CALL, owner: second.owner, paths: [FILE] });
    expect(await running()).toBe(true);
    await savepoint.endSession('agent');
    expect(await running()).toBe(false);
  });

  it('is not taken for another process that gets its id', async () => {
    const { savepoint } = place;
    const { id: to } = await message(savepoint);
    const agent = startAgent();
    await agent.die();
    await savepoint.openWindow({ ...CALL, owner: agent.owner });
    expect((await savepoint.rewind({ to })).success).toBe(true);
  });
});

describe('an agent whose process nobody knows', () => {
  it('counts as alive as long as its lease', async () => {
    const { project } = place;
    let now = Date.now();
    const savepoint = await project.open({ now: () => now });
    const { id: to } = await message(savepoint);
    await savepoint.openWindow({ ...CALL, owner: { leaseMs: 60_000 } });
    await savepoint.captureBefore({ ...CALL, owner: { leaseMs: 60_000 }, paths: [FILE] });
    await expect(savepoint.rewind({ to })).rejects.toMatchObject({ code: 'session-busy' });
    now += 60_000;
    expect((await savepoint.rewind({ to })).success).toBe(true);
    project.write('late.txt', 'x');
    expect(authors(await savepoint.scan())).toEqual([['late.txt', 'agent', 'shared']]);
    expect((await savepoint.status()).running).toEqual([]);
  });
});

describe('a tool call that is closed by its name', () => {
  it('ends its command and its captures, and closing it again is no error', async () => {
    const { project, savepoint } = place;
    const { owner } = startAgent();
    const { id: to } = await message(savepoint);
    await savepoint.openWindow({ ...CALL, owner });
    project.write('new.txt', 'x');
    const report = await savepoint.closeCall(CALL);
    expect(report && authors(report)).toEqual([['new.txt', 'agent', 'inferred']]);
    expect(await savepoint.closeCall(CALL)).toBe(null);
    await savepoint.captureBefore({ ...CALL, toolCallId: 'call-2', owner, paths: [FILE] });
    project.write(FILE, 'edited');
    const named = await savepoint.closeCall({ sessionId: 'agent', toolCallId: 'call-2' });
    expect(named).toMatchObject({ coverage: 'named', changes: [] });
    expect(await authorsOf(savepoint, FILE)).toEqual([['tool', 'agent', 'exact']]);
    expect(await savepoint.closeCall({ sessionId: 'agent', toolCallId: 'call-2' })).toBe(null);
    expect(await planned(savepoint, to)).toEqual([
      ['new.txt', 'delete', null],
      [FILE, 'write', null],
    ]);
  });

  it('leaves calls of other sessions and other calls open', async () => {
    const { savepoint } = place;
    await savepoint.openWindow(CALL);
    await savepoint.openWindow({ ...CALL, toolCallId: 'call-2' });
    await savepoint.openWindow({ ...CALL, sessionId: 'other' });
    await savepoint.closeCall(CALL);
    const { running } = await savepoint.status();
    expect(running.map(({ sessionId, toolCallId }) => [sessionId, toolCallId])).toEqual([
      ['agent', 'call-2'],
      ['other', 'call-1'],
    ]);
    expect(await savepoint.closeCall({ sessionId: 'nobody', toolCallId: 'call-1' })).toBe(null);
  });

  it('ends what it did for certain, though its owner was dead from the beginning', async () => {
    const { project, savepoint } = place;
    const agent = startAgent();
    await agent.die();
    await savepoint.openWindow({ ...CALL, owner: agent.owner });
    project.write('new.txt', 'x');
    const report = await savepoint.closeCall(CALL);
    expect(report && authors(report)).toEqual([['new.txt', 'agent', 'inferred']]);
  });
});

describe('a call whose end never came', () => {
  it('is over with the next prompt, and what a person mended meanwhile is not certain', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    await savepoint.openWindow({ ...CALL, owner });
    await savepoint.captureBefore({ ...CALL, toolCallId: 'call-2', owner, paths: [FILE] });
    project.write('docs/guide.md', 'the command, or the person');
    project.write(FILE, 'the tool, or the person');
    await savepoint.checkpoint({ sessionId: 'agent', messageId: 'm2', owner });
    expect(await authorsOf(savepoint, FILE)).toEqual([['tool', 'agent', 'shared']]);
    expect(await authorsOf(savepoint, 'docs/guide.md')).toEqual([['shell', 'agent', 'shared']]);
    expect(await planned(savepoint, to)).toEqual([
      ['docs/guide.md', 'skip', 'shared-attribution'],
      [FILE, 'skip', 'shared-attribution'],
    ]);
    await savepoint.rewind({ to, includeShared: true });
    expect(project.read(FILE)).toBe(WAS);
    expect(project.read('docs/guide.md')).toBe('words\n');
  });

  it('is not certain either where a scan found the change before the next prompt', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    await savepoint.openWindow({ ...CALL, owner });
    project.write('docs/guide.md', 'the person');
    expect(authors(await savepoint.scan())).toEqual([['docs/guide.md', 'agent', 'inferred']]);
    await message(savepoint, 'm2');
    expect(await authorsOf(savepoint, 'docs/guide.md')).toEqual([['shell', 'agent', 'shared']]);
    await savepoint.rewind({ to });
    expect(project.read('docs/guide.md')).toBe('the person');
    await savepoint.rewind({ to, includeShared: true });
    expect(project.read('docs/guide.md')).toBe('words\n');
  });

  it('is not certain either where the scan at the next prompt leaves a gap', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    await savepoint.openWindow({ ...CALL, owner });
    project.write('docs/guide.md', 'the person');
    await savepoint.scan();
    const hurried = await project.open({ scanDeadlineMs: 0 });
    expect((await message(hurried, 'm2')).coverage).toBe('deadline');
    expect(await authorsOf(savepoint, 'docs/guide.md')).toEqual([['shell', 'agent', 'shared']]);
    await savepoint.rewind({ to });
    expect(project.read('docs/guide.md')).toBe('the person');
  });

  it('leaves certain what a command did that ran later and ended', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    const next = { ...CALL, toolCallId: 'call-2' };
    await savepoint.openWindow({ ...CALL, owner });
    project.write('docs/guide.md', 'the person, after the command was refused');
    await savepoint.openWindow({ ...next, owner });
    project.write('seen.txt', 'the second command');
    await savepoint.scan();
    project.write(FILE, 'the second command');
    await savepoint.closeCall(next);
    project.write('late.txt', 'the person');
    await savepoint.scan();
    await savepoint.endTurn('agent');
    expect(await planned(savepoint, to)).toEqual([
      ['docs/guide.md', 'skip', 'shared-attribution'],
      ['late.txt', 'skip', 'shared-attribution'],
      ['seen.txt', 'delete', null],
      [FILE, 'write', null],
    ]);
    await savepoint.rewind({ to });
    expect(project.read(FILE)).toBe(WAS);
    expect(project.read('late.txt')).toBe('the person');
  });

  it('is not certain when the next call of the same turn comes to the file', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    const next = { ...CALL, toolCallId: 'call-2' };
    await savepoint.captureBefore({ ...CALL, owner, paths: [FILE] });
    project.write(FILE, `${WAS}the person, after the call was refused\n`);
    await savepoint.captureBefore({ ...next, owner, paths: [FILE] });
    project.write(FILE, `the agent\n${WAS}the person, after the call was refused\n`);
    await savepoint.closeCall(next);
    await savepoint.endTurn('agent');
    expect(await authorsOf(savepoint, FILE)).toEqual([
      ['tool', 'agent', 'shared'],
      ['tool', 'agent', 'exact'],
    ]);
    const { notes } = await savepoint.rewind({ to });
    expect(project.read(FILE)).toBe(`${WAS}the person, after the call was refused\n`);
    expect(notes).toMatchObject([{ code: 'uncertain-kept', paths: [FILE] }]);
    expect((await savepoint.rewind({ to, includeShared: true })).notes).toMatchObject([
      { code: 'not-certain', paths: [FILE] },
    ]);
    expect(project.read(FILE)).toBe(WAS);
  });

  it('leaves the next call certain where both began before either wrote', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    const next = { ...CALL, toolCallId: 'call-2' };
    await savepoint.captureBefore({ ...CALL, owner, paths: [FILE] });
    await savepoint.captureBefore({ ...next, owner, paths: [FILE] });
    project.write(FILE, 'both');
    await savepoint.closeCall(CALL);
    await savepoint.closeCall(next);
    await savepoint.rewind({ to });
    expect(project.read(FILE)).toBe(WAS);
  });

  it('is not named if it changed nothing, as a tool that the person refused', async () => {
    const { savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    await savepoint.captureBefore({ ...CALL, owner, paths: [FILE] });
    await savepoint.endTurn('agent');
    expect(await planned(savepoint, to)).toEqual([[FILE, 'already-there', null]]);
  });

  it('ends at once with an interrupt, and what it did until then is its own', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    await savepoint.openWindow({ ...CALL, owner });
    await savepoint.captureBefore({ ...CALL, toolCallId: 'call-2', owner, paths: [FILE] });
    project.write('new.txt', 'the command');
    project.write(FILE, 'the tool');
    await savepoint.endTurn('agent', { messageId: 'm1', interrupted: true });
    project.write('docs/guide.md', 'the person');
    await savepoint.checkpoint({ sessionId: 'agent', messageId: 'm2', owner });
    expect(await authorsOf(savepoint, 'docs/guide.md')).toEqual([['outside', null, 'exact']]);
    await savepoint.rewind({ to });
    expect(project.read(FILE)).toBe(WAS);
    expect(project.read('docs/guide.md')).toBe('the person');
  });

  it('goes on if the same prompt is told twice', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    const { owner } = startAgent();
    await savepoint.openWindow({ ...CALL, owner });
    await message(savepoint);
    project.write('new.txt', 'x');
    const report = await savepoint.closeCall(CALL);
    expect(report && authors(report)).toEqual([['new.txt', 'agent', 'inferred']]);
  });
});

describe('a sub-agent', () => {
  const SUB = { ...CALL, subagentId: 'sub', toolCallId: 'call-sub' };

  it('goes on over the end of the turn and the next prompt, for the prompt that started it', async () => {
    const { project, savepoint } = place;
    const { id: first } = await message(savepoint);
    const { owner } = startAgent();
    await savepoint.openWindow({ ...SUB, owner });
    await savepoint.captureBefore({ ...SUB, toolCallId: 'edit-sub', owner, paths: [FILE] });
    await savepoint.endTurn('agent', { messageId: 'm1' });
    const { id: second } = await message(savepoint, 'm2');
    await expect(savepoint.rewind({ to: first })).rejects.toMatchObject({ code: 'session-busy' });
    project.write('new.txt', 'sub-agent');
    project.write(FILE, 'sub-agent');
    await savepoint.closeCall(SUB);
    await savepoint.closeCall({ ...SUB, toolCallId: 'edit-sub' });
    const changes = await savepoint.changes({ checkpointIds: [first] });
    expect(changes).toMatchObject([
      { path: FILE, attribution: 'exact', subagentId: 'sub' },
      { path: 'new.txt', attribution: 'inferred', subagentId: 'sub' },
    ]);
    const only = { to: second, take: 'message' } as const;
    expect((await savepoint.planRewind(only)).lines).toEqual([]);
    await savepoint.rewind({ to: first });
    expect(project.read(FILE)).toBe(WAS);
  });

  it('ends with its own turn, while the agent and other sub-agents go on', async () => {
    const { savepoint } = place;
    await savepoint.openWindow(CALL);
    await savepoint.openWindow(SUB);
    await savepoint.openWindow({ ...SUB, subagentId: 'other' });
    await savepoint.endTurn('agent', { subagentId: 'sub' });
    const { running } = await savepoint.status();
    expect(running.map(({ subagentId }) => subagentId)).toEqual([null, 'other']);
  });

  it('ends with the session', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    const { owner } = startAgent();
    await savepoint.openWindow({ ...SUB, owner });
    await savepoint.captureBefore({ ...SUB, owner, paths: [FILE] });
    await savepoint.endSession('agent');
    expect((await savepoint.status()).running).toEqual([]);
    project.write('later.txt', 'a person');
    expect(authors(await savepoint.scan())).toEqual([['later.txt', null, 'exact']]);
    expect((await savepoint.rewind({ to })).success).toBe(true);
  });
});

describe('the end of a turn', () => {
  it('leaves alone what was begun for another message', async () => {
    const { savepoint } = place;
    await savepoint.openWindow(CALL);
    await savepoint.openWindow({ ...CALL, messageId: 'm2', toolCallId: 'call-2' });
    await savepoint.endTurn('agent', { messageId: 'm2' });
    await savepoint.endTurn('agent', { messageId: 'never seen' });
    const { running } = await savepoint.status();
    expect(running.map(({ toolCallId }) => toolCallId)).toEqual(['call-1']);
  });
});

describe('a tool of another session', () => {
  it('is in the way of a rewind at the file that it writes to', async () => {
    const { project, savepoint } = place;
    const { id: to } = await message(savepoint);
    await savepoint.captureBefore({ ...CALL, paths: [FILE] });
    project.write(FILE, 'edited');
    await savepoint.closeCall(CALL);
    const agent = startAgent();
    const other = { sessionId: 'other', messageId: 'n1', toolCallId: 'call-2' };
    await savepoint.captureBefore({ ...other, owner: agent.owner, paths: [FILE] });
    await expect(savepoint.rewind({ to })).rejects.toMatchObject({ code: 'session-busy' });
    await agent.die();
    expect((await savepoint.planRewind({ to })).lines).toMatchObject([{ path: FILE }]);
  });
});
