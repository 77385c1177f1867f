import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import type { Session } from './session-manager.ts';
import { findByName, SessionManager } from './session-manager.ts';

const PROJECT = '/projects/größe';
const ID = '00000000-0000-4000-8000-000000000001';
const OTHER_ID = '00000000-0000-4000-8000-000000000002';

describe('SessionManager', () => {
  it('keeps a conversation in a readable file that nobody else can read', async () => {
    await withSessions(async ({ sessions, root }) => {
      const created = await sessions.create({ project: PROJECT, id: ID });
      const asked = await sessions.addTurn(created, 'p1', '你好 👩‍👩‍👧');
      const ended = await sessions.endTurn(asked, 'p1', 'm9');
      const file = join(root, ID, 'session.json');
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
        version: 1,
        id: ID,
        name: null,
        project: PROJECT,
        parentId: null,
        createdAt: '2026-01-01T00:00:01.000Z',
        updatedAt: '2026-01-01T00:00:03.000Z',
        turns: [{ promptId: 'p1', prompt: '你好 👩‍👩‍👧', lastMessageId: 'm9' }],
      });
      expect(await modes(join(root, ID), file)).toEqual([0o700, 0o600]);
      expect(await readdir(join(root, ID))).toEqual(['session.json']);
      expect(await sessions.open(ID)).toEqual(ended);
    });
  });

  it('says so where its folder cannot be made', async () => {
    await withTemporaryFolder(async (folder) => {
      const root = join(folder, 'sessions');
      await writeFile(root, 'a file where the folder should be');
      const creating = new SessionManager({ root }).create({ project: PROJECT, id: ID });
      await expect(creating).rejects.toMatchObject({ code: 'file-failed' });
    });
  });

  it('lists the newest first, of one project or of all, without those that hold nothing', async () => {
    await withSessions(async ({ sessions }) => {
      const first = await spoken(sessions, PROJECT);
      const second = await spoken(sessions, PROJECT);
      const elsewhere = await spoken(sessions, '/projects/b');
      await sessions.create({ project: PROJECT });
      await sessions.endTurn(first, 'p1', 'm1');
      expect(await idsOf(sessions.list(PROJECT))).toEqual([first.id, second.id]);
      expect(await idsOf(sessions.list())).toEqual([first.id, elsewhere.id, second.id]);
    });
  });

  it.each([
    ['half a file', '{"version": 1, "id"', 'is not JSON'],
    ['another kind of file', '{"version": 1}', 'holds no session'],
    ['a file of another version', '{"version": 2}', 'it.version must be 1'],
  ])('lists the others where one holds %s, and says so', async (_what, text, reason) => {
    await withSessions(async ({ sessions, root }) => {
      const { id } = await spoken(sessions, PROJECT);
      await mkdir(join(root, ID));
      await mkdir(join(root, OTHER_ID, 'checkpoints'), { recursive: true });
      await writeFile(join(root, ID, 'session.json'), text);
      const { sessions: listed, problems } = await sessions.list();
      expect(listed.map((one) => one.id)).toEqual([id]);
      expect(problems).toEqual([expect.stringContaining(reason)]);
      await expect(sessions.open(ID)).rejects.toMatchObject({ code: 'file-failed' });
      expect(await readFile(join(root, ID, 'session.json'), 'utf8')).toBe(text);
    });
  });

  it('refuses the file of one session in the folder of another', async () => {
    await withSessions(async ({ sessions, root }) => {
      const { id } = await spoken(sessions, PROJECT);
      await mkdir(join(root, OTHER_ID));
      const text = await readFile(join(root, id, 'session.json'));
      await writeFile(join(root, OTHER_ID, 'session.json'), text);
      await expect(sessions.open(OTHER_ID)).rejects.toThrow('another session');
    });
  });

  it('makes each change to what is on the disk, also when two come at once', async () => {
    await withSessions(async ({ sessions }) => {
      const session = await sessions.create({ project: PROJECT });
      await Promise.all([
        sessions.addTurn(session, 'p1', 'one'),
        sessions.save(session, 'named'),
        sessions.addTurn(session, 'p2', 'two'),
        sessions.addTurn(session, 'p1', 'one'),
      ]);
      const { name, turns } = await sessions.open(session.id);
      expect(name).toBe('named');
      expect(turns.map(({ promptId }) => promptId)).toEqual(['p1', 'p2']);
    });
  });

  it('writes a session anew that somebody deleted while it was open', async () => {
    await withSessions(async ({ sessions }) => {
      const session = await spoken(sessions, PROJECT);
      await sessions.delete(session.id);
      await sessions.addTurn(session, 'p2', 'two');
      expect((await sessions.open(session.id)).turns).toHaveLength(2);
    });
  });

  it('forks what came before a prompt, and leaves the old conversation as it was', async () => {
    await withSessions(async ({ sessions }) => {
      let session = await spoken(sessions, PROJECT);
      session = await sessions.endTurn(session, 'p1', 'm1');
      session = await sessions.addTurn(session, 'p2', 'two');
      session = await sessions.save(session, 'kept');
      const forked = await sessions.fork(session, 'p2', ID);
      expect(forked).toMatchObject({ id: ID, parentId: session.id, name: null, project: PROJECT });
      expect(forked.turns).toEqual([{ promptId: 'p1', prompt: 'one', lastMessageId: 'm1' }]);
      expect(await sessions.open(ID)).toEqual(forked);
      expect(await sessions.open(session.id)).toEqual(session);
      await expect(sessions.fork(session, 'p3', OTHER_ID)).rejects.toThrow('no such prompt');
      await expect(sessions.fork(session, 'p2', ID)).rejects.toMatchObject({ code: 'file-exists' });
    });
  });

  it.each(['../../etc/passwd', '/', 'a\nb', '会话', '.'])(
    'takes %j as a name, which is no path',
    async (name) => {
      await withSessions(async ({ sessions, root }) => {
        const session = await sessions.create({ project: PROJECT });
        await sessions.save(session, ` ${name} `);
        const { sessions: listed } = await sessions.list(PROJECT);
        expect(findByName(listed, name)).toMatchObject({ id: session.id });
        expect(findByName(listed, `${name}.`)).toBeNull();
        expect(await readdir(root)).toEqual([session.id]);
      });
    },
  );

  it('gives a name to one session of a project, until that session has another', async () => {
    await withSessions(async ({ sessions }) => {
      const [first, second] = [await spoken(sessions, PROJECT), await spoken(sessions, PROJECT)];
      const elsewhere = await spoken(sessions, '/projects/b');
      await sessions.save(first, 'Größe');
      await sessions.save(first, 'Größe');
      await sessions.save(elsewhere, 'Größe');
      // The same name as another keyboard writes it.
      await expect(sessions.save(second, 'Gro\u0308ße'.normalize('NFD'))).rejects.toThrow('Größe');
      await expect(sessions.save(second, '  ')).rejects.toMatchObject({ code: 'argument-invalid' });
      await sessions.save(first, 'Other');
      expect((await sessions.save(second, 'Größe')).name).toBe('Größe');
    });
  });

  it('deletes the folder of a session, and follows no link', async () => {
    await withSessions(async ({ sessions, root }) => {
      const { id } = await spoken(sessions, PROJECT);
      const kept = await spoken(sessions, PROJECT);
      const outside = join(root, '..', 'outside');
      await mkdir(outside);
      await writeFile(join(outside, 'precious'), 'x');
      await symlink(outside, join(root, id, 'link'));
      await symlink(outside, join(root, ID));
      await sessions.delete(id);
      await sessions.delete(ID);
      expect(await readdir(root)).toEqual([kept.id]);
      expect(await readdir(outside)).toEqual(['precious']);
      await expect(sessions.open(id)).rejects.toMatchObject({ code: 'session-not-found' });
    });
  });

  it.each(['..', '', '.', `${ID}/..`, 'abc', `${ID}\n`])(
    'refuses %j, which is no UUID, before it touches anything',
    async (id) => {
      await withSessions(async ({ sessions, root }) => {
        const kept = await spoken(sessions, PROJECT);
        const refusal = { code: 'argument-invalid' };
        await expect(sessions.delete(id)).rejects.toMatchObject(refusal);
        await expect(sessions.open(id)).rejects.toMatchObject(refusal);
        await expect(sessions.create({ project: PROJECT, id })).rejects.toMatchObject(refusal);
        expect(await readdir(root)).toEqual([kept.id]);
      });
    },
  );

  it('removes a session in which nothing was said, and no other', async () => {
    await withSessions(async ({ sessions, root }) => {
      const kept = await spoken(sessions, PROJECT);
      await sessions.deleteIfEmpty(kept);
      await sessions.deleteIfEmpty(await sessions.create({ project: PROJECT }));
      expect(await readdir(root)).toEqual([kept.id]);
    });
  });
});

interface Setting {
  readonly sessions: SessionManager;
  readonly root: string;
}

/** With a clock that moves on by a second each time somebody looks at it. */
async function withSessions(body: (setting: Setting) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const root = join(folder, 'sessions');
    let seconds = 0;
    const now = (): Date => {
      seconds += 1;
      return new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
    };
    await body({ sessions: new SessionManager({ root, now }), root });
  });
}

async function spoken(sessions: SessionManager, project: string): Promise<Session> {
  return sessions.addTurn(await sessions.create({ project }), 'p1', 'one');
}

async function idsOf(list: ReturnType<SessionManager['list']>): Promise<string[]> {
  return (await list).sessions.map(({ id }) => id);
}

async function modes(...paths: string[]): Promise<number[]> {
  return Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
}
