import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ChildScript } from '../../../../test/setup/child-script.ts';
import { JSONStorage } from './json-storage.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'savepoint-json-'));
});
afterEach(() => rmSync(base, { recursive: true }));

interface Place {
  readonly projectName?: string;
  readonly baseDir?: string;
  readonly lockTimeoutMs?: number;
}

function storageOf({ projectName, baseDir, lockTimeoutMs }: Place = {}): JSONStorage {
  return new JSONStorage(projectName ?? 'demo', baseDir ?? join(base, 'store'), { lockTimeoutMs });
}

function placeOf(...names: string[]): string {
  return join(base, 'store', 'projects', 'demo', 'persistence', ...names);
}

const HOLD = `
  import { DatabaseSync } from 'node:sqlite';
  const lock = new DatabaseSync(process.argv[1]);
  lock.exec('BEGIN EXCLUSIVE');
  console.log('held');
  setInterval(() => {}, 1000);`;

describe('the files of JSONStorage', () => {
  it('lie where the layout says, indented for people', async () => {
    const data = { id: 'ckpt-exec-001-0', state: { phase: 'x' }, at: new Date(0) };
    const path = await storageOf().save('checkpoint', 'ckpt-exec-001-0', data);
    expect(path).toBe(placeOf('checkpoint', 'ckpt-exec-001-0.json'));
    expect(readFileSync(path, 'utf8')).toBe(
      `{
  "id": "ckpt-exec-001-0",
  "state": {
    "phase": "x"
  },
  "at": {
    "$Date": "1970-01-01T00:00:00.000Z"
  }
}
`,
    );
  });

  it('can be written by hand or by another program', async () => {
    mkdirSync(placeOf('conversation'), { recursive: true });
    writeFileSync(placeOf('conversation', 'conv-1.json'), '{"messages": ["你好"], "n": 1.5}');
    expect(await storageOf().list('conversation')).toEqual(['conv-1']);
    expect(await storageOf().load('conversation', 'conv-1')).toEqual({
      messages: ['你好'],
      n: 1.5,
    });
  });

  it('are named as the seed names them: capitals and other scripts as they are', async () => {
    const storage = storageOf({ projectName: 'My Project' });
    const path = await storage.save('Checkpoint', 'ckpt-Exec 检查点-10:30', { n: 1 });
    const folder = join(base, 'store/projects/My Project/persistence/Checkpoint');
    expect(path).toBe(join(folder, 'ckpt-Exec 检查点-10:30.json'));
    expect(readdirSync(folder)).toEqual(['ckpt-Exec 检查点-10:30.json']);
  });

  it('have a lock only while they are written', async () => {
    await Promise.all([1, 2, 3].map((n) => storageOf().save('session', 's', { n })));
    await expect(storageOf().save('session', 's', {}, { onlyNew: true })).rejects.toThrow();
    expect(readdirSync(placeOf('session'))).toEqual(['s.json']);
  });

  it('go with the lock that a killed process left when they are deleted', async () => {
    await storageOf().save('session', 's', { n: 1 });
    writeFileSync(placeOf('session', 's.json.lock'), '');
    await storageOf().save('session', 's', { n: 2 });
    expect(await storageOf().delete('session', 's')).toBe(true);
    expect(readdirSync(placeOf('session'))).toEqual([]);
  });

  it.each([
    ['exec-1', 'Exec-1'],
    ['\u00e9', 'e\u0301'],
  ])('are refused where a disk could take %j and %j for one name', async (one, other) => {
    const storage = storageOf();
    const clash = { code: 'document-clash' };
    await storage.save('session', one, { n: 1 });
    await expect(storage.save('session', other, { n: 2 })).rejects.toMatchObject(clash);
    await expect(storage.save(`Session`, one, { n: 2 })).rejects.toMatchObject(clash);
    const project = storageOf({ projectName: 'DEMO' });
    await expect(project.save('session', one, { n: 2 })).rejects.toMatchObject(clash);
    expect(await storage.load('session', other)).toBeNull();
    expect(await storage.delete('session', other)).toBe(false);
    expect(await storage.load('session', one)).toEqual({ n: 1 });
    await storage.save('session', one, { n: 3 });
    expect(await storage.list('session')).toEqual([one]);
  });

  it('are both read where another program wrote two that differ in capitals alone', async () => {
    mkdirSync(placeOf('session'), { recursive: true });
    for (const key of ['exec-1', 'Exec-1']) {
      writeFileSync(placeOf('session', `${key}.json`), JSON.stringify({ key }));
    }
    // Some disks cannot even hold both.
    const names = readdirSync(placeOf('session'));
    for (const name of names) {
      const key = name.slice(0, -'.json'.length);
      expect(await storageOf().load('session', key)).toMatchObject({ key: expect.any(String) });
    }
    expect(await storageOf().list('session')).toHaveLength(names.length);
  });

  it('have the key inside where a name cannot hold it', async () => {
    const key = 'k'.repeat(400);
    const path = await storageOf().save('session', key, { n: 1 });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ key, data: { n: 1 } });
  });

  it('are replaced, never written into: who has the old one open reads it to its end', async () => {
    const path = await storageOf().save('session', 's', { n: 'old' });
    const old = openSync(path, 'r');
    try {
      await storageOf().save('session', 's', { n: 'new and longer than it was' });
      expect(JSON.parse(readFileSync(old, 'utf8'))).toEqual({ n: 'old' });
      expect(await storageOf().load('session', 's')).toEqual({ n: 'new and longer than it was' });
    } finally {
      closeSync(old);
    }
  });

  it('are private to the user, and so are the folders', async () => {
    const path = await storageOf().save('session', 's', { n: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (let folder = dirname(path); folder !== base; folder = dirname(folder)) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
  });

  it('are all below the base directory, whatever project, category and key say', async () => {
    const hostile = ['..', '../../x', '/x', 'a/../../../../x', 'x\0y', '.'];
    for (const projectName of hostile) {
      const storage = storageOf({ projectName });
      for (const category of hostile) {
        for (const key of hostile) await storage.save(category, key, { key });
      }
      expect(await storage.list('..')).toHaveLength(hostile.length);
    }
    expect(readdirSync(base)).toEqual(['store']);
    expect(readdirSync(join(base, 'store'))).toEqual(['projects']);
    expect(readdirSync(join(base, 'store', 'projects'))).toHaveLength(hostile.length);
  });

  it('are not made by who only reads', async () => {
    expect(await storageOf().load('session', 's')).toBeNull();
    expect(await storageOf().list('session')).toEqual([]);
    expect(await storageOf().delete('session', 's')).toBe(false);
    expect(readdirSync(base)).toEqual([]);
  });

  it('lie in the home that the environment names where no place is given', async () => {
    const home = join(base, 'home');
    mkdirSync(home);
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const persistence = join('projects', 'demo', 'persistence', 'session', 's.json');
    expect(await new JSONStorage('demo').save('session', 's', { n: 1 })).toBe(
      join(home, '.cache', 'tiny-claude-code', persistence),
    );
    expect(await new JSONStorage('demo', '~/elsewhere').save('session', 's', { n: 1 })).toBe(
      join(home, 'elsewhere', persistence),
    );
    vi.stubEnv('HOME', '');
    expect(() => new JSONStorage('demo')).toThrow(
      expect.objectContaining({ code: 'argument-invalid' }),
    );
  });

  it('wait five seconds for another writer, as the seed does', async () => {
    const storage = new JSONStorage('demo', join(base, 'store'));
    await storage.save('session', 's', { n: 1 });
    const child = new ChildScript(HOLD, placeOf('session', 's.json.lock'));
    onTestFinished(() => child.kill());
    await child.says('held');
    await expect(storage.save('session', 's', { n: 2 })).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining('within 5000 ms'),
    });
  }, 30_000);

  it.each([{ baseDir: '' }, { baseDir: 'a\0b' }, { baseDir: 7 as unknown as string }])(
    'are refused a place that is none: %j',
    (options) => {
      expect(() => storageOf(options)).toThrow(
        expect.objectContaining({ code: 'argument-invalid' }),
      );
    },
  );
});

describe('JSONStorage among other things on disk', () => {
  it.each([['projects'], ['projects', 'demo'], ['projects', 'demo', 'persistence']])(
    'writes nothing through a folder that is a link: %s/%s/%s',
    async (...names) => {
      const outside = join(base, 'outside');
      mkdirSync(outside);
      const link = join(base, 'store', ...names);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(outside, link);
      const refusal = { code: 'symlinked-parent' };
      await expect(storageOf().save('session', 's', { n: 1 })).rejects.toMatchObject(refusal);
      await expect(storageOf().load('session', 's')).rejects.toMatchObject(refusal);
      await expect(storageOf().list('session')).rejects.toMatchObject(refusal);
      expect(readdirSync(outside)).toEqual([]);
    },
  );

  it('writes nothing through the link of a category, and reads nothing', async () => {
    const outside = join(base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 's.json'), '{"secret": true}');
    await storageOf().save('other', 's', { n: 1 });
    symlinkSync(outside, placeOf('session'));
    const refusal = { code: 'symlinked-parent' };
    await expect(storageOf().save('session', 't', { n: 1 })).rejects.toMatchObject(refusal);
    await expect(storageOf().load('session', 's')).rejects.toMatchObject(refusal);
    expect(readdirSync(outside)).toEqual(['s.json']);
  });

  it('reads no file through a link, and replaces the link itself', async () => {
    const secret = join(base, 'secret.json');
    writeFileSync(secret, '{"secret": true}');
    mkdirSync(placeOf('session'), { recursive: true });
    symlinkSync(secret, placeOf('session', 's.json'));
    await expect(storageOf().load('session', 's')).rejects.toMatchObject({
      code: 'document-corrupt',
      path: placeOf('session', 's.json'),
    });
    await storageOf().save('session', 's', { n: 1 });
    expect(await storageOf().load('session', 's')).toEqual({ n: 1 });
    expect(readFileSync(secret, 'utf8')).toBe('{"secret": true}');
  });

  const foreign: [what: string, make: (lock: string) => void][] = [
    ['a file with a process id', (lock) => writeFileSync(lock, '12345')],
    ['a long file', (lock) => writeFileSync(lock, '{"pid":12}\n'.repeat(200))],
    ['a folder', (lock) => mkdirSync(lock)],
    ['a link', (lock) => symlinkSync(join(base, 'elsewhere'), lock)],
  ];
  it.each(foreign)(
    'waits while %s of another program is its lock, and says what to do',
    async (_what, make) => {
      const storage = storageOf({ lockTimeoutMs: 100 });
      await storage.save('session', 's', { n: 1 });
      const lock = placeOf('session', 's.json.lock');
      make(lock);
      const refusal = {
        code: 'store-locked',
        path: lock,
        message: expect.stringContaining(lock),
        hint: expect.stringContaining('remove the lock'),
      };
      await expect(storage.save('session', 's', { n: 2 })).rejects.toMatchObject(refusal);
      await expect(storage.delete('session', 's')).rejects.toMatchObject(refusal);
      expect(await storage.load('session', 's')).toEqual({ n: 1 });
      expect(existsSync(join(base, 'elsewhere'))).toBe(false);

      const patient = storageOf({ lockTimeoutMs: 10_000 }).save('session', 's', { n: 3 });
      rmSync(lock, { recursive: true });
      await patient;
      expect(await storage.load('session', 's')).toEqual({ n: 3 });
      expect(readdirSync(placeOf('session'))).toEqual(['s.json']);
    },
  );

  it('leaves an empty lock file where it was, because another program may lock it in its own way', async () => {
    await storageOf().save('session', 's', { n: 1 });
    const lock = placeOf('session', 's.json.lock');
    writeFileSync(lock, '');
    const { ino } = statSync(lock);
    await storageOf().save('session', 's', { n: 2 });
    expect(statSync(lock).ino).toBe(ino);
  });

  it('says without a descriptor what the file system says', async () => {
    mkdirSync(dirname(placeOf()), { recursive: true });
    writeFileSync(placeOf(), 'a file');
    const error = await storageOf()
      .save('session', 's', {})
      .catch((caught: Error) => caught);
    expect(error).toMatchObject({ code: 'store-failed' });
    expect((error as Error).message).not.toContain('/proc/self/fd');
  });
});

describe('what is damaged', () => {
  it('is listed as far as its name says its key, and everything else is listed', async () => {
    const storage = storageOf();
    const long = 'k'.repeat(400);
    for (const key of ['a', 'b', long]) await storage.save('session', key, { key });
    expect(await storage.list('session')).toHaveLength(3);
    const [longFile = ''] = readdirSync(placeOf('session')).filter((name) => name.includes('~'));
    writeFileSync(placeOf('session', 'b.json'), '{"key": "b"');
    writeFileSync(placeOf('session', longFile), '');
    writeFileSync(placeOf('session', 'Not Ours.json'), '{}');
    writeFileSync(placeOf('session', 'notes.txt'), 'nobody minds');
    mkdirSync(placeOf('session', 'folder.json'));
    expect((await storage.list('session')).sort()).toEqual(['Not Ours', 'a', 'b', 'folder']);
  });

  it.each([
    ['', 'not JSON'],
    ['{"a": {"$Date": "yesterday"}}', 'not a time'],
    ['null', 'no value'],
    // Somebody else's key: taken for a tag it would come back as another one.
    ['{"$schema": "x", "theme": "dark"}', 'begins with one $'],
    [Buffer.of(0x22, 0xff, 0x22), 'not UTF-8'],
  ])('is named by load: %j', async (content, reason) => {
    mkdirSync(placeOf('session'), { recursive: true });
    writeFileSync(placeOf('session', 's.json'), content);
    await expect(storageOf().load('session', 's')).rejects.toMatchObject({
      code: 'document-corrupt',
      path: placeOf('session', 's.json'),
      message: expect.stringContaining(reason),
    });
  });

  it('is a file with a cut name that holds the value of another key', async () => {
    const [one, other] = [`${'k'.repeat(400)}1`, `${'k'.repeat(400)}2`];
    const path = await storageOf().save('session', one, { n: 1 });
    const otherPath = await storageOf().save('session', other, { n: 2 });
    writeFileSync(path, readFileSync(otherPath));
    const corrupt = { code: 'document-corrupt', path };
    await expect(storageOf().load('session', one)).rejects.toMatchObject(corrupt);
    expect(await storageOf().list('session')).toEqual([other]);
  });
});

describe('a process that died', () => {
  it('holds up nobody with its lock, which the living one does', async () => {
    const storage = storageOf({ lockTimeoutMs: 100 });
    await storage.save('session', 's', { n: 1 });
    const child = new ChildScript(HOLD, placeOf('session', 's.json.lock'));
    try {
      await child.says('held');
      const late = storage.save('session', 's', { n: 2 });
      await expect(late).rejects.toMatchObject({ code: 'store-locked' });
      await storage.save('session', 'another key', { n: 2 });
      expect(await storage.load('session', 's')).toEqual({ n: 1 });
    } finally {
      await child.kill();
    }
    await storage.save('session', 's', { n: 3 });
    expect(await storage.load('session', 's')).toEqual({ n: 3 });
  });

  it('leaves a half-written file that is not listed, and that the next writer of the key removes', async () => {
    await storageOf().save('session', 's', { n: 1 });
    const name = `.${createHash('sha256').update('s.json').digest('hex').slice(0, 16)}.tmp`;
    writeFileSync(placeOf('session', name), '{"half": ');
    expect(await storageOf().list('session')).toEqual(['s']);
    await storageOf().save('session', 's', { n: 2 });
    expect(readdirSync(placeOf('session'))).toEqual(['s.json']);
  });
});
