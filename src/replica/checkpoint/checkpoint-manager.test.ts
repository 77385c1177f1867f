import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RewindFilesResult } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { CheckpointManager, type CheckpointManagerOptions } from './checkpoint-manager.ts';

const START = Date.parse('2026-01-18T10:30:00.000Z');

/** A manager over a folder, a clock that goes on a second with each look, and what it warned of. */
function managerIn(sessionDir: string, options: Partial<CheckpointManagerOptions> = {}) {
  const warnings: string[] = [];
  let time = START;
  const manager = new CheckpointManager({
    sessionDir,
    sessionId: 'session-1',
    now: () => {
      time += 1000;
      return new Date(time);
    },
    warn: (message) => warnings.push(message),
    ...options,
  });
  return { manager, warnings, file: join(sessionDir, 'checkpoints', 'metadata.json') };
}

const entry = (id: string, second: number, description = id) => ({
  id,
  timestamp: new Date(START + second * 1000).toISOString(),
  description,
  sessionId: 'session-1',
});

async function store(sessionDir: string, text: string): Promise<void> {
  await mkdir(join(sessionDir, 'checkpoints'), { recursive: true });
  await writeFile(join(sessionDir, 'checkpoints', 'metadata.json'), text);
}

const idsOf = (manager: CheckpointManager): string[] =>
  manager.listCheckpoints().map(({ id }) => id);

describe('Scenario: initialize the checkpoint manager: GIVEN a session folder and id, WHEN it is initialized', () => {
  it('THEN makes the folder checkpoints, for its owner alone', () =>
    withTemporaryFolder(async (folder) => {
      const { manager, warnings } = managerIn(join(folder, 'session'));
      await manager.initialize();
      const { mode } = await stat(join(folder, 'session', 'checkpoints'));
      expect(mode & 0o777).toBe(0o700);
      expect(manager.listCheckpoints()).toEqual([]);
      expect(warnings).toEqual([]);
    }));

  it('closes a folder that others could look into', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'checkpoints'));
      await chmod(join(folder, 'checkpoints'), 0o755);
      await managerIn(folder).manager.initialize();
      expect((await stat(join(folder, 'checkpoints'))).mode & 0o777).toBe(0o700);
    }));

  it('AND loads metadata.json, newest first', () =>
    withTemporaryFolder(async (folder) => {
      await store(
        folder,
        JSON.stringify({ checkpoints: [entry('a', 1), entry('c', 3), entry('b', 2)] }),
      );
      const { manager, warnings } = managerIn(folder);
      await manager.initialize();
      expect(idsOf(manager)).toEqual(['c', 'b', 'a']);
      expect(warnings).toEqual([]);
    }));

  it('takes the newer one of two entries with one id', () =>
    withTemporaryFolder(async (folder) => {
      const entries = [entry('a', 1, 'older'), entry('a', 2, 'newer')];
      await store(folder, JSON.stringify({ checkpoints: entries }));
      const { manager } = managerIn(folder);
      await manager.initialize();
      expect(manager.listCheckpoints()).toMatchObject([{ id: 'a', description: 'newer' }]);
    }));

  it.each([
    ['no JSON', '{"checkpoints": [', []],
    ['another shape', '[]', []],
    [
      'an entry without an id',
      JSON.stringify({ checkpoints: [{ ...entry('x', 1), id: '' }, entry('a', 2)] }),
      ['a'],
    ],
    [
      'a time that is none',
      JSON.stringify({ checkpoints: [entry('a', 2), { ...entry('x', 1), timestamp: '1' }] }),
      ['a'],
    ],
    [
      'an entry that is no object',
      JSON.stringify({ checkpoints: [null, entry('a', 2), 7] }),
      ['a'],
    ],
    [
      'a text that is far too long',
      JSON.stringify({ checkpoints: [entry('x', 1, 'y'.repeat(20_000)), entry('a', 1)] }),
      ['a'],
    ],
    [
      'values that only a prototype has',
      `{"checkpoints": [{"__proto__": ${JSON.stringify(entry('x', 1))}}, ${JSON.stringify(entry('a', 1))}]}`,
      ['a'],
    ],
  ])('sets a file with %s aside, and keeps what is valid', (_, text, kept) =>
    withTemporaryFolder(async (folder) => {
      await store(folder, text);
      const { manager, warnings, file } = managerIn(folder);
      await manager.initialize();
      expect(idsOf(manager)).toEqual(kept);
      const aside = `${file}.damaged-2026-01-18T10-30-01-000Z`;
      expect(await readFile(aside, 'utf8')).toBe(text);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain(aside);
      // What was valid is on the disk again before anything else happens.
      const again = managerIn(folder);
      await again.manager.initialize();
      expect(idsOf(again.manager)).toEqual(kept);
      expect(again.warnings).toEqual([]);
    }),
  );

  it('never sets a damaged file aside over an earlier one', () =>
    withTemporaryFolder(async (folder) => {
      for (const text of ['first', 'second', 'third']) {
        await store(folder, text);
        await managerIn(folder).manager.initialize();
      }
      const names = (await readdir(join(folder, 'checkpoints'))).sort();
      const texts = names.map((name) => readFile(join(folder, 'checkpoints', name), 'utf8'));
      expect((await Promise.all(texts)).sort()).toEqual(['first', 'second', 'third']);
    }));

  it('does not follow a link that stands where the file should', () =>
    withTemporaryFolder(async (folder) => {
      const target = join(folder, 'target.json');
      await writeFile(target, JSON.stringify({ checkpoints: [entry('a', 1)] }));
      await mkdir(join(folder, 'checkpoints'));
      await symlink(target, join(folder, 'checkpoints', 'metadata.json'));
      const { manager, warnings } = managerIn(folder);
      await manager.initialize();
      manager.captureCheckpoint('b', 'b', 'session-1');
      await manager.flush();
      expect(warnings).toHaveLength(1);
      expect(JSON.parse(await readFile(target, 'utf8')).checkpoints).toHaveLength(1);
    }));
});

describe('Scenario: capture a user message checkpoint: GIVEN uuid, description and session, WHEN captureCheckpoint() is called', () => {
  it('THEN puts an entry on top AND writes metadata.json as the seed has it', () =>
    withTemporaryFolder(async (folder) => {
      const { manager, file } = managerIn(folder);
      await manager.initialize();
      manager.captureCheckpoint('msg-1', 'Add dark mode toggle to settings', 'session-1');
      manager.captureCheckpoint('msg-2', '修复错误', 'session-1');
      expect(idsOf(manager)).toEqual(['msg-2', 'msg-1']);
      await manager.flush();
      const entries = [
        entry('msg-2', 2, '修复错误'),
        entry('msg-1', 1, 'Add dark mode toggle to settings'),
      ];
      expect(await readFile(file, 'utf8')).toBe(
        `${JSON.stringify({ checkpoints: entries }, null, 2)}\n`,
      );
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await readdir(join(folder, 'checkpoints'))).toEqual(['metadata.json']);
    }));

  it('AND removes the oldest beyond the limit', () =>
    withTemporaryFolder(async (folder) => {
      const { manager } = managerIn(folder);
      await manager.initialize();
      for (let at = 1; at <= 12; at += 1) manager.captureCheckpoint(`m${at}`, 'x', 's');
      const expected = ['m12', 'm11', 'm10', 'm9', 'm8', 'm7', 'm6', 'm5', 'm4', 'm3'];
      expect(idsOf(manager)).toEqual(expected);
      await manager.flush();
      const loaded = managerIn(folder).manager;
      await loaded.initialize();
      expect(idsOf(loaded)).toEqual(expected);
      const fewer = managerIn(folder, { maxCheckpoints: 2 }).manager;
      await fewer.initialize();
      expect(idsOf(fewer)).toEqual(['m12', 'm11']);
    }));

  it('keeps what another process captured for the same conversation meanwhile', () =>
    withTemporaryFolder(async (folder) => {
      const [one, other] = [managerIn(folder), managerIn(folder, { now: () => new Date(START) })];
      await one.manager.initialize();
      await other.manager.initialize();
      for (const [{ manager }, id] of [
        [other, 'a'],
        [one, 'b'],
        [one, 'c'],
      ] as const) {
        manager.captureCheckpoint(id, id, 'session-1');
        await manager.flush();
      }
      expect(idsOf(one.manager)).toEqual(['c', 'b', 'a']);
      const resumed = managerIn(folder).manager;
      await resumed.initialize();
      expect(idsOf(resumed)).toEqual(['c', 'b', 'a']);
    }));

  it('makes one entry of a message that comes twice', () =>
    withTemporaryFolder(async (folder) => {
      const { manager } = managerIn(folder);
      await manager.initialize();
      manager.captureCheckpoint('a', 'first', 's');
      manager.captureCheckpoint('b', 'b', 's');
      manager.captureCheckpoint('a', 'again', 's');
      await manager.flush();
      expect(manager.listCheckpoints().map(({ description }) => description)).toEqual([
        'b',
        'first',
      ]);
    }));

  it('stays on top when the clock was set back', () =>
    withTemporaryFolder(async (folder) => {
      const times = [START, START - 60_000];
      const now = (): Date => new Date(times.shift() ?? 0);
      const { manager } = managerIn(folder, { now });
      await manager.initialize();
      manager.captureCheckpoint('a', 'a', 's');
      manager.captureCheckpoint('b', 'b', 's');
      await manager.flush();
      const loaded = managerIn(folder).manager;
      await loaded.initialize();
      expect(idsOf(loaded)).toEqual(['b', 'a']);
    }));

  it('tells of a save that fails, and saves all with the next capture', () =>
    withTemporaryFolder(async (folder) => {
      const { manager, warnings, file } = managerIn(folder);
      await manager.initialize();
      await rm(join(folder, 'checkpoints'), { recursive: true });
      manager.captureCheckpoint('a', 'a', 's');
      await manager.flush();
      expect(warnings).toHaveLength(1);
      await mkdir(join(folder, 'checkpoints'));
      // The same one again has nothing new in it, and is still the occasion to save what was not.
      manager.captureCheckpoint('a', 'a', 's');
      await manager.flush();
      expect(JSON.parse(await readFile(file, 'utf8')).checkpoints).toHaveLength(1);
      expect(warnings).toHaveLength(1);
    }));
});

describe('Scenario: list available checkpoints: GIVEN several are stored, WHEN listCheckpoints() is called', () => {
  it('THEN gives newest first, AND each with id, timestamp, description and session', () =>
    withTemporaryFolder(async (folder) => {
      const { manager } = managerIn(folder);
      await manager.initialize();
      manager.captureCheckpoint('a', 'the prompt', 'session-1');
      const [first] = manager.listCheckpoints();
      expect(first).toEqual({
        id: 'a',
        timestamp: new Date(START + 1000),
        description: 'the prompt',
        sessionId: 'session-1',
      });
      first?.timestamp.setTime(0);
      manager.listCheckpoints().pop();
      expect(manager.listCheckpoints()[0]?.timestamp).toEqual(new Date(START + 1000));
      await manager.flush();
    }));
});

describe('Scenario: restore files to a checkpoint: GIVEN an id and a query, WHEN restoreCheckpoint() is called', () => {
  const answering = (answer: () => RewindFilesResult) => {
    const asked: string[] = [];
    const rewindFiles = async (id: string): Promise<RewindFilesResult> => {
      asked.push(id);
      return answer();
    };
    return { asked, rewindFiles };
  };
  const { manager } = managerIn('/nowhere');
  const NOT_FOUND =
    'Checkpoint data not found in SDK. This may happen if the session was not properly completed or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING was not set.';

  it('THEN calls rewindFiles with the checkpoint, and hands on what it says', async () => {
    const query = answering(() => ({ canRewind: true, skippedLinks: 1 }));
    expect(await manager.restoreCheckpoint('a', query)).toEqual({
      canRewind: true,
      skippedLinks: 1,
    });
    expect(query.asked).toEqual(['a']);
  });

  it('AND says what it means that the SDK knows no such checkpoint', async () => {
    const thrown = answering(() => {
      throw new Error('No file checkpoint found for this message.');
    });
    await expect(manager.restoreCheckpoint('a', thrown)).rejects.toThrow(new Error(NOT_FOUND));
    const error = 'No file checkpoint found for this message.';
    const told = answering(() => ({ canRewind: false, error }));
    await expect(manager.restoreCheckpoint('a', told)).rejects.toThrow(new Error(NOT_FOUND));
  });

  it('fails with the words of the SDK where it cannot rewind', async () => {
    const told = answering(() => ({ canRewind: false, error: 'disk full' }));
    await expect(manager.restoreCheckpoint('a', told)).rejects.toThrow(new Error('disk full'));
    const thrown = answering(() => {
      throw new Error('Query closed before response received');
    });
    await expect(manager.restoreCheckpoint('a', thrown)).rejects.toThrow('Query closed');
  });

  it('AND refuses where there is no query', async () => {
    const message = 'No active query session. Cannot restore checkpoint.';
    await expect(manager.restoreCheckpoint('a', null)).rejects.toThrow(new Error(message));
  });
});

describe('a forked conversation', () => {
  it('has the checkpoints that came before the prompt, and no others', () =>
    withTemporaryFolder(async (folder) => {
      const { manager } = managerIn(join(folder, 'old'));
      await manager.initialize();
      for (const id of ['a', 'b', 'c']) manager.captureCheckpoint(id, id, 's');
      await manager.copyBefore('c', join(folder, 'new'));
      const forked = managerIn(join(folder, 'new')).manager;
      await forked.initialize();
      expect(idsOf(forked)).toEqual(['b', 'a']);
      expect(idsOf(manager)).toEqual(['c', 'b', 'a']);
      // A prompt that is no longer listed is older than all that are.
      await manager.copyBefore('long gone', join(folder, 'other'));
      const other = managerIn(join(folder, 'other')).manager;
      await other.initialize();
      expect(idsOf(other)).toEqual([]);
      await manager.flush();
    }));
});
