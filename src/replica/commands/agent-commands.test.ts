import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandBench } from '../../../test/replica/command-bench.ts';
import { memoryStore, openSavepoint, type Savepoint } from '../../index.ts';
import { EngineFiles } from '../files/engine-files.ts';

let scratch: string;
let bench: CommandBench;
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'replica-agent-'));
  bench = await CommandBench.create(scratch);
});
afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

const inProject = (name: string): string => join(bench.open.project, name);

/** With the engine, whose folder goes away with the test. */
async function withEngine(
  work: (files: EngineFiles, savepoint: Savepoint) => Promise<void>,
): Promise<void> {
  const store = await memoryStore();
  const savepoint = await openSavepoint({ project: bench.open.project, store, scan: true });
  const files = new EngineFiles(savepoint, (gap) => expect.unreachable(gap));
  bench.files = files;
  try {
    await work(files, savepoint);
  } finally {
    await files.close();
  }
}

describe('/load-context', () => {
  it("puts a file's text in front of the next prompt, also by an absolute path", async () => {
    writeFileSync(inProject('my notes.md'), 'remember 你好\n');
    writeFileSync(join(scratch, 'outside.md'), 'from outside\n');
    expect(await bench.run('/load-context my notes.md')).toBe(
      'my notes.md (16 bytes) goes to the agent with your next prompt.',
    );
    await bench.run(`/load-context "${join(scratch, 'outside.md')}"`);
    expect(bench.added[0]).toMatch(/my notes\.md:\n\nremember 你好\n$/);
    expect(bench.added[1]).toMatch(/outside\.md:\n\nfrom outside\n$/);
  });

  it('refuses what leads out of the project, by name or by a link', async () => {
    writeFileSync(join(scratch, 'secret'), 'secret\n');
    symlinkSync(join(scratch, 'secret'), inProject('innocent.md'));
    symlinkSync(scratch, inProject('folder'));
    for (const name of ['../secret', 'innocent.md', 'folder/secret']) {
      expect(await bench.run(`/load-context ${name}`)).toMatch(/^That leads out of the project/);
    }
    expect(bench.added).toEqual([]);
  });

  it('refuses what is too large, no text, no file or not there', async () => {
    writeFileSync(inProject('fits'), 'x'.repeat(256 * 1024));
    writeFileSync(inProject('large'), 'x'.repeat(256 * 1024 + 1));
    writeFileSync(inProject('zero'), 'a\0b');
    writeFileSync(inProject('latin'), Buffer.from([0x63, 0xe9, 0x20]));
    mkdirSync(inProject('folder'));
    expect(await bench.run('/load-context fits')).toMatch(/^fits \(/);
    expect(await bench.run('/load-context large')).toMatch(/^The file is larger than/);
    expect(await bench.run('/load-context zero')).toMatch(/^That is no text/);
    expect(await bench.run('/load-context latin')).toMatch(/^That is no text/);
    expect(await bench.run('/load-context folder')).toBe('That is not a regular file.');
    expect(await bench.run('/load-context gone')).toBe('There is no such file.');
    expect(await bench.run('/load-context')).toBe('Which file? Usage: /load-context FILE');
    expect(bench.added).toHaveLength(1);
    expect(bench.ui.errors).toEqual([]);
  });

  it('completes files of the project', () => {
    mkdirSync(inProject('docs'));
    writeFileSync(inProject('docs/plan.md'), '');
    writeFileSync(inProject('.hidden'), '');
    const texts = (text: string): string[] =>
      bench.registry.complete(text, bench.context()).map((one) => one.text);
    expect(texts('/load-context ')).toEqual(['/load-context docs/']);
    expect(texts('/load-context docs/p')).toEqual(['/load-context docs/plan.md']);
    expect(texts('/load-context gone/')).toEqual([]);
  });
});

describe('/show-context', () => {
  it('says what the agent is told, and takes nothing of it away', async () => {
    await withEngine(async (files, savepoint) => {
      await bench.run('/show-context');
      expect(bench.ui.block).toEqual([
        `  Project      ${bench.open.project}`,
        '  CLAUDE.md    none; /init has one written',
        '  Next prompt  nothing was added to it',
        '  Rewound      no file since its last turn',
      ]);
      writeFileSync(inProject('CLAUDE.md'), 'Be kind.\n');
      writeFileSync(inProject('notes.md'), 'notes\n');
      const prompt = { sessionId: bench.open.id, messageId: 'p1' };
      const capture = await savepoint.captureBefore({ ...prompt, paths: ['a.txt'] });
      writeFileSync(inProject('a.txt'), 'a\n');
      await savepoint.captureAfter(capture);
      await files.restore(await files.plan('p1'), null);
      await bench.run('/load-context notes.md');
      bench.ui.block.length = 0;
      await bench.run('/show-context');
      await bench.run('/show-context');
      expect(bench.ui.block.slice(4)).toEqual(bench.ui.block.slice(0, 4));
      expect(bench.ui.block[1]).toBe('  CLAUDE.md    1 line, 9 bytes');
      expect(bench.ui.block[2]).toMatch(/^ {2}Next prompt {2}.*notes\.md \(\d+ bytes\)$/);
      expect(bench.ui.block[3]).toBe('  Rewound      a.txt');
    });
  });
});

describe('/init', () => {
  it('asks the agent to write CLAUDE.md, and writes nothing itself', async () => {
    expect(await bench.run('/init')).toBeNull();
    expect(bench.submitted).toHaveLength(1);
    expect(bench.submitted[0]).toContain('write CLAUDE.md');
    expect(bench.ui.questions).toEqual([]);
  });

  it('asks first where there is one', async () => {
    writeFileSync(inProject('CLAUDE.md'), 'mine\n');
    bench.ui.agrees = false;
    expect(await bench.run('/init')).toBe('CLAUDE.md stays as it is.');
    expect(bench.submitted).toEqual([]);
    bench.ui.agrees = true;
    expect(await bench.run('/init')).toBeNull();
    expect(bench.submitted[0]).toContain('read it first');
  });
});

describe('/todos', () => {
  it('lists what the agent has to do, with what is done', async () => {
    expect(await bench.run('/todos')).toBe('The agent has no list of things to do.');
    bench.todos = [
      { text: 'read', state: 'done' },
      { text: 'write', state: 'in-progress' },
      { text: 'rest\u0007', state: 'pending' },
    ];
    expect(await bench.run('/todos')).toBeNull();
    expect(bench.ui.block).toEqual(['  [x] read', '  [~] write', '  [ ] rest\\x07']);
  });
});

describe('/status', () => {
  it('says what is going on, and what is on record of files', async () => {
    await withEngine(async (files) => {
      await files.save('here', bench.open.id);
      bench.servers = [
        { name: 'notes', status: 'connected' },
        { name: 'web', status: 'failed', error: 'no route' },
      ];
      expect(await bench.run('/status')).toBeNull();
      expect(bench.ui.block).toEqual([
        `  Conversation  ${bench.open.id}, 0 prompts`,
        `  Project       ${bench.open.project}`,
        '  Model         a model',
        '  Agent         waits for a prompt',
        '  Checkpoints   0 of this conversation',
        '  Files         on record: the scanned worktree; 1 checkpoint in all',
        '  MCP servers   notes  connected',
        '                web  failed: no route',
      ]);
    });
  });

  it('says what is turned off, and what cannot be asked', async () => {
    bench.checkpoints = null;
    bench.isBusy = true;
    bench.servers = null;
    await bench.run('/status');
    expect(bench.ui.block.slice(3)).toEqual([
      '  Agent         at work',
      '  Checkpoints   turned off',
      '  Files         not on record',
      '  MCP servers   cannot be asked: no query',
    ]);
  });
});

describe('/config', () => {
  it('shows each value with where it comes from, and warns of what was not taken', async () => {
    mkdirSync(inProject('.claude-replica'));
    writeFileSync(
      inProject('.claude-replica/settings.json'),
      '{"checkpointKeepCount": 5, "permissionMode": "bypassPermissions"}',
    );
    expect(await bench.run('/config')).toBeNull();
    const said = bench.ui.block.join('\n');
    expect(said).toMatch(/^checkpointKeepCount +5 +project .*settings\.json$/m);
    expect(said).toMatch(/^model +some-model +environment +CLAUDE_REPLICA_MODEL$/m);
    expect(said).toMatch(/^permissionMode +default +default$/m);
    expect(bench.ui.warnings.join('\n')).toContain('permissionMode');
  });
});

describe('/verbose, /quiet and /exit', () => {
  it('show everything, fold it, and leave', async () => {
    await bench.run('/verbose');
    expect(bench.ui.verbose).toBe(true);
    await bench.run('/quiet');
    expect(bench.ui.verbose).toBe(false);
    await bench.run('/exit');
    await bench.run('/quit');
    expect(bench.left).toHaveLength(2);
  });
});

describe('/help', () => {
  it('lists every command of the agent with what it does', async () => {
    expect(await bench.run('/help')).toBeNull();
    const said = bench.ui.block.join('\n');
    const names =
      'checkpoint undo redo diff label sessions resume save load conversations delete todos init show-context load-context model compact cost permissions mcp export status config clear verbose quiet help exit';
    expect(bench.registry.list().map(({ name }) => name)).toEqual(names.split(' '));
    for (const { name, usage, description } of bench.registry.list()) {
      expect(said).toContain(`/${name}${usage === undefined ? '' : ` ${usage}`}`);
      expect(description).not.toBe('');
    }
    expect(Math.max(...bench.ui.block.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('explains one, by alias as well', async () => {
    await bench.run('/help /rewind');
    expect(bench.ui.block).toEqual([
      '/checkpoint [REF | save TEXT | list | export FILE | import FILE]',
      '  go back to a checkpoint; or make, list and carry checkpoints',
      '  also: /rewind, /restore',
    ]);
    expect(await bench.run('/help nothing')).toBe('There is no command "nothing"; see /help');
  });
});
