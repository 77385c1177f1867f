import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { logHook } from '../../src/agents/hook-log.ts';
import { storeDirectory } from '../../src/index.ts';
import { CliProject, PATH } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
let user: string;

beforeEach(() => {
  project = new CliProject({ 'a.txt': 'one\n' });
  user = join(project.scratch, 'user');
});
afterEach(() => project.remove());

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

interface Report {
  readonly code: number | null;
  readonly findings: readonly { code: string; message: string; fix: string }[];
  readonly agents: readonly { name: string; version: string | null; seen: string | null }[];
}

async function examined(env: Record<string, string> = {}): Promise<Report> {
  const { code, out } = await project.run(['doctor', '--json'], { env });
  expectSchema('doctor', out);
  return { code, ...JSON.parse(out) };
}

const setUp = (...agents: string[]) =>
  project.run(['init', '--agent', agents.join(','), '--yes', '--quiet']);

it('finds nothing wrong where everything is set up', async () => {
  await setUp('claude-code', 'gemini', 'opencode', 'cline');
  expect(await examined()).toMatchObject({ code: 0, findings: [] });
  const { code, out } = await project.run(['doctor']);
  expect(code).toBe(0);
  expect(out).toContain('Agent      Claude Code: hooks in the scope user, not seen yet\n');
  expect(out).toContain('Everything is fine.');
});

it('asks for agents without hooks only where none has them', async () => {
  mkdirSync(join(user, '.claude'));
  mkdirSync(join(user, '.gemini'));
  const before = await examined();
  expect(before.code).toBe(1);
  expect(before.findings.map(({ code }) => code)).toEqual(['hooks-missing', 'hooks-missing']);
  expect(before.findings[0]?.fix).toBe('savepoint init --agent claude-code');
  await setUp('claude-code');
  expect((await examined()).findings).toEqual([]);
});

it('says when a hook last ran, and of which version the agent is', async () => {
  await setUp('claude-code', 'codex');
  const seen = join(project.home, 'seen/codex');
  write(seen, '{"event":"Stop","version":"0.166.0"}\n');
  utimesSync(seen, 1_790_000_000, 1_790_000_000);
  const program = join(project.scratch, 'bin/claude');
  write(program, '#!/bin/sh\necho "2.1.325 (Claude Code)"\n');
  chmodSync(program, 0o755);
  const { agents } = await examined({ PATH: `${dirname(program)}:${PATH}` });
  expect(agents.find(({ name }) => name === 'claude-code')).toMatchObject({
    version: '2.1.325',
    seen: null,
  });
  expect(agents.find(({ name }) => name === 'codex')).toMatchObject({
    version: '0.166.0',
    seen: new Date(1_790_000_000_000).toISOString(),
    seenEvent: 'Stop',
  });
});

it('runs no program of the project, and waits for none that hangs', async () => {
  const inside = project.path('bin/claude');
  write(inside, `#!/bin/sh\ntouch ${project.scratch}/ran\n`);
  chmodSync(inside, 0o755);
  mkdirSync(join(user, '.claude'));
  const { agents } = await examined({ PATH: `${dirname(inside)}:${PATH}` });
  expect(agents.find(({ name }) => name === 'claude-code')?.version).toBeNull();
  expect(() => rmSync(join(project.scratch, 'ran'))).toThrow();
});

it('finds hooks that are doubled, incomplete, switched off, or whose program is gone', async () => {
  const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
  const command = 'savepoint hook claude-code';
  const settings = { hooks: { Stop: hook(command) }, disableAllHooks: true };
  write(join(user, '.claude/settings.json'), JSON.stringify(settings));
  write(project.path('.claude/settings.json'), JSON.stringify({ hooks: { Stop: hook(command) } }));
  const { findings } = await examined();
  expect(findings.map(({ code }) => code)).toEqual([
    'hooks-doubled',
    'hooks-incomplete',
    'hook-program-missing',
    'hooks-switched-off',
    'no-baseline',
  ]);
});

it('finds a Node on PATH that cannot run the hooks', async () => {
  const old = join(project.scratch, 'old/node');
  const preload = join(project.scratch, 'old/version.cjs');
  write(preload, "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });");
  write(old, `#!/bin/sh\nexec ${process.execPath} --require ${preload} "$@"\n`);
  chmodSync(old, 0o755);
  const env = { PATH: `${dirname(old)}:${PATH}` };
  expect((await examined(env)).findings).toEqual([]);
  await setUp('claude-code');
  const { code, findings } = await examined(env);
  expect(code).toBe(1);
  expect(findings).toMatchObject([{ code: 'node-unusable' }]);
  expect(findings[0]?.message).toContain(`${old} cannot run the hooks, so nothing is recorded`);
  expect(findings[0]?.message).toContain('needs Node 22.19 or newer');
  expect(findings[0]?.fix).toContain(`PATH=${dirname(process.execPath)}:$PATH`);
  const nowhere = await examined({ PATH: join(project.scratch, 'nowhere') });
  expect(nowhere.findings[0]?.message).toContain('there is no node on PATH');
});

it('finds settings that cannot be read', async () => {
  write(join(user, '.claude/settings.json'), '{');
  const { findings } = await examined();
  expect(findings).toMatchObject([{ code: 'hooks-unreadable', fix: 'mend it, then try again' }]);
});

it('finds hooks of Codex that nobody has trusted, and does not trust them itself', async () => {
  await setUp('codex');
  const { findings } = await examined();
  expect(findings).toMatchObject([{ code: 'hooks-untrusted' }]);
  const file = join(user, '.codex/hooks.json');
  const events = [
    'session_start',
    'user_prompt_submit',
    'pre_tool_use',
    'post_tool_use',
    'interrupt',
    'stop',
    'session_end',
  ];
  const states = events.map((event) => {
    return `[hooks.state."${file}:${event}:0:0"]\ntrusted_hash = "sha256:00"\n`;
  });
  write(join(user, '.codex/config.toml'), states.join('\n'));
  expect((await examined()).findings).toEqual([]);
});

it('finds a project of Gemini CLI that nobody has trusted', async () => {
  await project.run(['init', '--agent', 'gemini', '--scope', 'project', '--yes']);
  const codes = (await examined()).findings.map(({ code }) => code);
  expect(codes).toContain('hooks-untrusted');
  const trusted = JSON.stringify({ [project.root]: 'TRUST_FOLDER' });
  write(join(user, '.gemini/trustedFolders.json'), trusted);
  const later = (await examined()).findings.map(({ code }) => code);
  expect(later).not.toContain('hooks-untrusted');
});

it('finds events that could not be recorded, until one is recorded again', async () => {
  await setUp('claude-code');
  const told = {
    time: new Date().toISOString(),
    agent: 'claude-code',
    event: 'message',
    reason: null,
    detail: null,
    project: project.root,
    sessionId: 's1',
    ms: 1,
  };
  logHook(project.home, { ...told, outcome: 'recorded' });
  logHook(project.home, {
    ...told,
    outcome: 'failed',
    reason: 'store-full',
    detail: 'the disk is full',
  });
  const { findings } = await examined();
  expect(findings).toMatchObject([{ code: 'events-lost', fix: `see ${project.home}/hook.log` }]);
  expect(findings[0]?.message).toContain('the last 1 event: the disk is full');
  logHook(project.home, { ...told, outcome: 'recorded' });
  expect((await examined()).findings).toEqual([]);
});

it('finds that recording is off, that there are gaps, and a damaged store', async () => {
  await setUp('claude-code');
  await project.run(['off']);
  project.write('b.txt', 'two\n');
  const env = { SAVEPOINT_MAX_SCAN_ENTRIES: '1' };
  await project.run(['save'], { env });
  const { findings } = await examined();
  expect(findings.map(({ code }) => code)).toEqual(['gaps', 'switched-off']);
  expect(findings.at(-1)?.fix).toBe('savepoint on');
  writeFileSync(join(storeDirectory(project.home, project.root), 'store.db'), 'not a database');
  const damaged = await examined();
  expect(damaged.findings.map(({ code }) => code)).toContain('store-unusable');
});
