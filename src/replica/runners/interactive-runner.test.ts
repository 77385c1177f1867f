import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunnerBed } from '../../../test/replica/runner-bed.ts';

let bed: RunnerBed;
beforeEach(() => {
  bed = new RunnerBed();
});
afterEach(() => bed.remove());

const PROMPTS = ['add a toggle', 'add tests'];

describe('Scenario: double Esc opens the checkpoint menu', () => {
  describe('GIVEN a person at the prompt, WHEN handleRewind() is triggered by Esc Esc', () => {
    it('THEN it looks whether checkpoints are enabled, and shows the list in showRewindMenu()', async () => {
      const runner = await bed.runner({ prompts: PROMPTS });
      bed.run(runner);
      await vi.waitFor(() => expect(bed.ui.handlers).not.toBeNull());
      bed.ui.handlers?.onRewind();
      await vi.waitFor(() => expect(bed.ui.menus).toHaveLength(1));
      expect(bed.ui.menus[0]).toEqual([
        {
          id: 'id of add tests',
          timestamp: expect.any(Date),
          description: 'add tests',
          label: null,
          isPrompt: true,
          counts: expect.any(Function),
          preview: expect.any(Function),
        },
        expect.objectContaining({ id: 'id of add a toggle', description: 'add a toggle' }),
      ]);
      expect(bed.logged()).toMatchObject([{ level: 'info', message: 'Opening checkpoint menu' }]);
    });

    it('AND leaving the menu changes nothing and says nothing', async () => {
      const runner = await bed.runner({ prompts: PROMPTS });
      await runner.handleRewind(bed.session);
      const { errors, warnings, successes, infos, previews } = bed.ui;
      expect([...errors, ...warnings, ...successes, ...infos, ...previews]).toEqual([]);
    });
  });
});

describe('Scenario: the person chooses a checkpoint and restores it', () => {
  describe('GIVEN a chosen checkpoint, WHEN there is no query to restore it by', () => {
    beforeEach(() => {
      bed.ui.pick = ([newest]) => newest;
      bed.ui.rewindChoice = 'files';
    });

    it('THEN the failure is shown in red by displayError(), and logged', async () => {
      const runner = await bed.runner({ prompts: PROMPTS });
      await runner.handleRewind(bed.session);
      expect(bed.ui.errors).toEqual([
        'Restore failed: No active query session. Cannot restore checkpoint.',
      ]);
      expect(bed.ui.successes).toEqual([]);
      expect(bed.logged().at(-1)).toMatchObject({
        level: 'error',
        message: 'Checkpoint restore failed',
        error: { message: 'No active query session. Cannot restore checkpoint.' },
      });
    });

    it('AND the engine alone restores what it holds, as of a session that is over', async () => {
      const file = join(bed.project, 'a.txt');
      writeFileSync(file, 'one\n');
      const runner = await bed.runner({ prompts: PROMPTS, engine: true });
      const prompt = { sessionId: 'an older one', parentSessionId: null, description: 'add tests' };
      await bed.files?.promptBegins({ ...prompt, promptId: 'id of add tests' });
      await bed.files?.hooks.PreToolUse?.[0]?.hooks[0]?.(
        {
          hook_event_name: 'PreToolUse',
          session_id: prompt.sessionId,
          transcript_path: '',
          cwd: bed.project,
          tool_name: 'Write',
          tool_input: { file_path: file },
          tool_use_id: 't1',
        },
        't1',
        { signal: new AbortController().signal },
      );
      writeFileSync(file, 'two\n');
      await bed.files?.toolEnds('t1');
      await bed.files?.turnEnds(prompt.sessionId);
      await runner.handleRewind(bed.session);
      expect(bed.ui.errors).toEqual([]);
      expect(bed.ui.successes).toEqual(['Restored to checkpoint: add tests']);
      expect(readFileSync(file, 'utf8')).toBe('one\n');
    });
  });
});

describe('Scenario: what is said where checkpoints are not enabled', () => {
  it('GIVEN checkpointManager is null, WHEN Esc is pressed twice, THEN it warns and shows no menu', async () => {
    const runner = await bed.runner({ prompts: null });
    await runner.handleRewind(bed.session);
    expect(bed.ui.warnings).toEqual(['Checkpoint feature not enabled']);
    expect(bed.ui.menus).toEqual([]);
  });
});

describe('Scenario: what is said where there are no checkpoints', () => {
  it('GIVEN there is none, WHEN Esc is pressed twice, THEN it warns and shows no menu', async () => {
    const runner = await bed.runner({ prompts: [] });
    await runner.handleRewind(bed.session);
    expect(bed.ui.warnings).toEqual(['No checkpoints available']);
    expect(bed.ui.menus).toEqual([]);
  });
});

describe('what is set', () => {
  it.each([true, false])('says whether all is shown whole: %s', async (verbose) => {
    mkdirSync(join(bed.home, '.claude-replica'));
    writeFileSync(join(bed.home, '.claude-replica', 'settings.json'), JSON.stringify({ verbose }));
    bed.run(await bed.runner());
    await vi.waitFor(() =>
      expect(bed.ui.status).toMatchObject({
        model: 'a test',
        permissionMode: 'bypassPermissions',
        wayBack: { changes: null },
      }),
    );
    expect(bed.ui.verbose).toBe(verbose ? true : null);
    bed.ui.handlers?.onSubmit('/status');
    await vi.waitFor(() => expect(bed.ui.block.join('\n')).toMatch(/Model +a test$/m));
  });
});

describe('a conversation that is taken up again', () => {
  it('has the checkpoints that its metadata.json holds', async () => {
    const runner = await bed.runner({ prompts: PROMPTS });
    bed.run(runner);
    await vi.waitFor(() => expect(bed.ui.handlers).not.toBeNull());
    for (const command of ['/save first', '/clear']) {
      const said = bed.ui.infos.length;
      bed.ui.handlers?.onSubmit(command);
      await vi.waitFor(() => expect(bed.ui.infos).toHaveLength(said + 1));
    }
    await runner.handleRewind(bed.session);
    expect(bed.ui.warnings).toEqual(['No checkpoints available']);
    bed.ui.handlers?.onSubmit('/load first');
    await vi.waitFor(() => expect(bed.ui.infos.at(-1)).toMatch(/^Resumed/));
    await runner.handleRewind(bed.session);
    expect(bed.ui.menus[0]?.map(({ description }) => description)).toEqual([
      'add tests',
      'add a toggle',
    ]);
  });
});

describe('a session that cannot be written down, as on a full disk', () => {
  it('is said, and neither stops the next prompt nor keeps anybody from leaving', async () => {
    const runner = await bed.runner();
    bed.run(runner);
    await vi.waitFor(() => expect(bed.ui.handlers).not.toBeNull());
    const file = join(bed.sessions.directoryOf(bed.session.id), 'session.json');
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    bed.ui.handlers?.onSubmit('first');
    await vi.waitFor(() => expect(bed.ui.errors).not.toEqual([]));
    await vi.waitFor(() => expect(bed.ui.activity).toBeNull());
    rmdirSync(file);
    renameSync(`${file}.away`, file);
    bed.ui.handlers?.onSubmit('second');
    // There is nobody here who would answer it, but it was sent.
    await vi.waitFor(() => expect(bed.ui.errors.at(-1)).toMatch('nobody is to be asked here'));
    await vi.waitFor(() => expect(bed.ui.activity).toBeNull());
  });
});

describe('a prompt that the engine cannot make a checkpoint of', () => {
  it('is sent all the same, and the person is told', async () => {
    const runner = await bed.runner({ engine: true });
    bed.run(runner);
    await vi.waitFor(() => expect(bed.ui.handlers).not.toBeNull());
    await bed.files?.close();
    bed.ui.handlers?.onSubmit('first');
    await vi.waitFor(() => expect(bed.ui.errors.at(-1)).toMatch('nobody is to be asked here'));
    expect(bed.ui.warnings[0]).toMatch(/^the prompt has no checkpoint: /);
    await vi.waitFor(() => expect(bed.ui.activity).toBeNull());
  });
});

describe("a command of the person's own", () => {
  const WAITS = 'while [ ! -e go ]; do sleep 0.05; done';

  beforeEach(async () => {
    bed.run(await bed.runner({ prompts: PROMPTS }));
    await vi.waitFor(() => expect(bed.ui.handlers).not.toBeNull());
  });

  it('does not run beside a rewind, nor beside another one that began meanwhile', async () => {
    const menu = Promise.withResolvers<null>();
    bed.ui.showRewindMenu = () => menu.promise;
    bed.ui.handlers?.onRewind();
    await vi.waitFor(() => expect(bed.logged()).not.toEqual([]));
    await vi.waitFor(async () => {
      await bed.ui.handlers?.onOwnCommand('true', false);
      expect(bed.ui.warnings).not.toEqual([]);
    });
    menu.resolve(null);
    const answer = Promise.withResolvers<boolean>();
    let isAsked = false;
    bed.ui.confirm = () => {
      isAsked = true;
      return answer.promise;
    };
    let pasted: unknown;
    await vi.waitFor(() => {
      pasted = bed.ui.handlers?.onOwnCommand('touch pasted', true);
      expect(isAsked).toBe(true);
    });
    void bed.ui.handlers?.onOwnCommand(WAITS, false);
    await vi.waitFor(() => expect(bed.ui.activity).toMatch(/^running while/));
    answer.resolve(true);
    await pasted;
    writeFileSync(join(bed.project, 'go'), '');
    await vi.waitFor(() => expect(bed.ui.activity).toBeNull());
    expect(existsSync(join(bed.project, 'pasted'))).toBe(false);
    expect(bed.ui.warnings.at(-1)).toMatch(/^Your command runs/);
  });

  it('keeps commands that change files or the conversation waiting', async () => {
    void bed.ui.handlers?.onOwnCommand(WAITS, false);
    await vi.waitFor(() => expect(bed.ui.activity).toMatch(/^running while/));
    for (const command of ['/clear', '/undo', '/export x.md']) {
      const said = bed.ui.infos.length;
      bed.ui.handlers?.onSubmit(command);
      await vi.waitFor(() => expect(bed.ui.infos).toHaveLength(said + 1));
      expect(bed.ui.infos.at(-1), command).toMatch(/at work/);
    }
    writeFileSync(join(bed.project, 'go'), '');
    await vi.waitFor(() => expect(bed.ui.activity).toBeNull());
  });
});
