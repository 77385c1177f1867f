import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { treeOf } from '../../../test/e2e/tree-of.ts';
import { openSavepoint } from '../../index.ts';
import type { SdkRewind } from './engine-files.ts';
import { EngineFiles, openEngineFiles } from './engine-files.ts';

let scratch: string;
let project: string;
let files: EngineFiles;
let gaps: string[];
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'replica-files-'));
  project = join(scratch, 'project');
  mkdirSync(project);
  gaps = [];
  files = await open();
});
afterEach(async () => {
  await files.close();
  rmSync(scratch, { recursive: true, force: true });
});

function open(): Promise<EngineFiles> {
  const env = { PATH: process.env.PATH };
  const surroundings = { env, homeDirectory: join(scratch, 'home'), platform: process.platform };
  return openEngineFiles({ project, surroundings, onGap: (gap) => gaps.push(gap) });
}

function put(name: string, text: string): void {
  writeFileSync(join(project, name), text);
}

function read(name: string): string {
  return readFileSync(join(project, name), 'utf8');
}

function begin(promptId: string): Promise<void> {
  return files.promptBegins({
    sessionId: 'session-1',
    parentSessionId: null,
    promptId,
    description: `prompt ${promptId}`,
  });
}

/** As the SDK calls it. */
async function tool(id: string, name: string, input: object, work: () => void): Promise<void> {
  await hook('PreToolUse', id, name, input);
  work();
  await hook('PostToolUse', id, name, input);
}

async function hook(event: 'PreToolUse' | 'PostToolUse', id: string, name: string, input: object) {
  const call = {
    hook_event_name: event,
    session_id: 'session-1',
    transcript_path: '',
    cwd: project,
    tool_name: name,
    tool_input: input,
    tool_response: {},
    tool_use_id: id,
  };
  const options = { signal: new AbortController().signal };
  for (const { hooks } of files.hooks[event] ?? []) {
    for (const one of hooks) expect(await one(call, id, options)).toEqual({});
  }
}

describe('the files of the agent', () => {
  it('go back to how they were before a prompt: what tools wrote and what a shell did', async () => {
    put('a.txt', 'one\n');
    put('b.txt', 'one\n');
    chmodSync(join(project, 'b.txt'), 0o755);
    const before = treeOf(project);
    await begin('p1');
    const path = join(project, 'a.txt');
    await tool('t1', 'Write', { file_path: path }, () => put('a.txt', 'two\n'));
    await tool('t2', 'Bash', { command: 'rm b.txt; touch c' }, () => {
      rmSync(join(project, 'b.txt'));
      put('c.txt', 'made\n');
    });
    await files.turnEnds('session-1');
    const receipt = await files.restore(await files.plan('p1'), null);
    expect(treeOf(project)).toEqual(before);
    expect(receipt).toMatchObject({ success: true, deletedFiles: ['c.txt'] });
    expect(files.takeRewound().toSorted()).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(files.takeRewound()).toEqual([]);
    await files.undo('session-1');
    expect(read('a.txt')).toBe('two\n');
    expect(gaps).toEqual([]);
  });

  it('go back also from what a shell did that was cut off with the turn', async () => {
    put('a.txt', 'one\n');
    const before = treeOf(project);
    await begin('p1');
    await hook('PreToolUse', 't1', 'Bash', { command: 'echo two > a.txt; touch b.txt; sleep 100' });
    put('a.txt', 'two\n');
    put('b.txt', '');
    await files.turnEnds('session-1');
    expect(await files.restore(await files.plan('p1'), null)).toMatchObject({ skipped: [] });
    expect(treeOf(project)).toEqual(before);
  });

  it('are rewound by the SDK as well, and end as the plan says', async () => {
    put('a.txt', 'one\ntwo\nthree\n');
    await begin('p1');
    const path = join(project, 'a.txt');
    await tool('t1', 'Edit', { file_path: path }, () => put('a.txt', 'ONE\ntwo\nthree\n'));
    await files.turnEnds('session-1');
    put('a.txt', 'ONE\ntwo\nTHREE\n');
    const calls: string[] = [];
    const sdk: SdkRewind = {
      promptId: 'p1',
      query: {
        rewindFiles: async (_id, options) => {
          calls.push(options?.dryRun ? 'asked' : 'ran');
          return { canRewind: true, filesChanged: [path] };
        },
      },
      run: async () => {
        calls.push('ran');
        put('a.txt', 'one\ntwo\nthree\n');
      },
    };
    const receipt = await files.restore(await files.plan('p1'), sdk);
    expect(calls).toEqual(['asked', 'ran']);
    expect(read('a.txt')).toBe('one\ntwo\nTHREE\n');
    expect(receipt.mergedFiles).toEqual(['a.txt']);
  });

  it('keep a mode that a person set, although the SDK takes it back without a word', async () => {
    put('a.txt', 'one\n');
    put('b.txt', 'one\n');
    await begin('p1');
    for (const name of ['a.txt', 'b.txt']) {
      const input = { file_path: join(project, name) };
      await tool(name, 'Write', input, () => put(name, 'two\n'));
      await tool(`${name} again`, 'Write', input, () =>
        put(name, name === 'a.txt' ? '3\n' : 'one\n'),
      );
    }
    await files.turnEnds('session-1');
    chmodSync(join(project, 'b.txt'), 0o755);
    const sdk: SdkRewind = {
      promptId: 'p1',
      query: {
        rewindFiles: async () => ({ canRewind: true, filesChanged: [join(project, 'a.txt')] }),
      },
      run: async () => chmodSync(join(project, 'b.txt'), 0o644),
    };
    await files.savepoint.scanAgain();
    await files.restore(await files.plan('p1'), sdk);
    expect(read('a.txt')).toBe('one\n');
    expect(statSync(join(project, 'b.txt')).mode & 0o777).toBe(0o755);
  });

  it('are not brought back by the undo of another conversation', async () => {
    put('a.txt', 'one\n');
    await begin('p1');
    await tool('t1', 'Write', { file_path: join(project, 'a.txt') }, () => put('a.txt', 'two\n'));
    await files.turnEnds('session-1');
    await files.restore(await files.plan('p1'), null);
    await files.promptBegins({
      sessionId: 'session-2',
      parentSessionId: null,
      promptId: 'other',
      description: 'another agent',
    });
    await expect(files.undo('session-2')).rejects.toMatchObject({ code: 'nothing-to-undo' });
    expect(read('a.txt')).toBe('one\n');
    await files.undo('session-1');
    expect(read('a.txt')).toBe('two\n');
    await expect(files.redo('session-2')).rejects.toMatchObject({ code: 'nothing-to-redo' });
    await files.redo('session-1');
    expect(read('a.txt')).toBe('one\n');
  });

  it('are left to the engine where the SDK knows nothing of the prompt', async () => {
    put('a.txt', 'one\n');
    await begin('p1');
    const path = join(project, 'a.txt');
    await tool('t1', 'Write', { file_path: path }, () => put('a.txt', 'two\n'));
    await files.turnEnds('session-1');
    const sdk: SdkRewind = {
      promptId: 'p1',
      query: { rewindFiles: () => Promise.reject(new Error('No file checkpoint found')) },
      run: () => Promise.reject(new Error('it was run')),
    };
    const { notes } = await files.restore(await files.plan('p1'), sdk);
    expect(read('a.txt')).toBe('one\n');
    expect(notes.map(({ message }) => message).join()).toContain('No file checkpoint found');
  });

  it('never stop a tool that they could not record, and say so', async () => {
    await begin('p1');
    await tool('t1', 'Write', { file_path: '/\0' }, () => put('a.txt', 'two\n'));
    expect(read('a.txt')).toBe('two\n');
    expect(gaps).toEqual([expect.stringContaining('Write could not be recorded')]);
  });

  it('are kept whole for who overwrites them, or it is refused', async () => {
    put('a.txt', 'one\n');
    expect(await files.keepAll('before', 'session-1')).toMatch(/^[a-z0-9]+$/);
    await files.close();
    for (const name of ['b.txt', 'c.txt', 'd.txt']) put(name, 'one\n');
    const home = join(scratch, 'other-home');
    const savepoint = await openSavepoint({ project, home, scan: true, maxScanEntries: 2 });
    files = new EngineFiles(savepoint, (gap) => gaps.push(gap));
    await expect(files.keepAll('before', 's')).rejects.toMatchObject({ code: 'capture-failed' });
  });

  it('know which prompts they hold, also those of a session that is over', async () => {
    await begin('p1');
    await files.close();
    files = await open();
    expect([await files.holds('p1'), await files.holds('p2')]).toEqual([true, false]);
  });
});

describe('the first prompt in a project', () => {
  it('names files over the limit once, with the setting that keeps them', async () => {
    writeFileSync(join(project, 'large.bin'), Buffer.alloc(11 * 1024 * 1024));
    await begin('p1');
    expect(files.takeGaps()).toEqual([
      expect.stringMatching(/files over 10 MiB are not recorded.*maxFileSize.*\(large\.bin\)$/),
    ]);
    await begin('p2');
    expect(files.takeGaps()).toEqual([]);
  });
});

describe('a private file', () => {
  it('is rewound, and the agent does not hear of it', async () => {
    put('.gitignore', '.env\n');
    put('.env', 'KEY=dummy\n');
    put('a.txt', 'one\n');
    await begin('p1');
    await tool('t1', 'Bash', { command: 'rm .env a.txt' }, () => {
      for (const name of ['.env', 'a.txt']) rmSync(join(project, name));
    });
    await files.restore(await files.plan('p1'), null);
    expect(read('.env')).toBe('KEY=dummy\n');
    expect(files.takeRewound()).toEqual(['a.txt']);
  });
});
