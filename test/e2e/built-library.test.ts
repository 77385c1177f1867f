import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-built-')));
const built = join(folder, 'dist');

beforeAll(() => {
  node([join(ROOT, 'scripts/bundle-library.ts'), built]);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('throws errors of one class from every entry', () => {
  const script = `
    import { SavepointError, memoryStore, openSavepoint } from '${built}/index.js';
    import { JSONStorage } from '${built}/execution/index.js';
    const caught = [];
    try { new JSONStorage('p', ''); } catch (error) { caught.push(error); }
    await openSavepoint({ project: '/', store: await memoryStore() }).catch((error) => caught.push(error));
    console.log(JSON.stringify({
      sameClass: caught.map((error) => error instanceof SavepointError),
      codes: caught.map((error) => error.code),
    }));
  `;
  const { sameClass, codes } = JSON.parse(node(['--input-type=module', '-e', script]));
  expect(sameClass).toEqual([true, true]);
  expect(codes).toEqual(['argument-invalid', 'project-refused']);
});

it('accepts the savepoint of one entry in the classes of another', () => {
  const project = join(folder, 'project');
  mkdirSync(project);
  const script = `
    import { writeFileSync, readFileSync } from 'node:fs';
    import { openSavepoint } from '${built}/index.js';
    import { ProjectStorage } from '${built}/execution/index.js';
    const savepoint = await openSavepoint({ project: '${project}', home: '${folder}/home', scan: true });
    writeFileSync('${project}/a.txt', 'one');
    const { id } = await savepoint.checkpoint();
    writeFileSync('${project}/a.txt', 'two');
    await savepoint.scan();
    await savepoint.rewind({ to: id, take: 'exact' });
    const storage = await savepoint.storage();
    console.log(storage instanceof ProjectStorage, readFileSync('${project}/a.txt', 'utf8'));
    await savepoint.close();
  `;
  expect(node(['--input-type=module', '-e', script])).toBe('true one\n');
});

it('loads the package of PostgreSQL when a store is opened on it, and says where it is missing', () => {
  const script = `
    import { SavepointError } from '${built}/index.js';
    import { PostgresStorage, postgresStore } from '${built}/store/postgres/index.js';
    const url = 'postgres://user:dummy@127.0.0.1:1/database';
    const error = await postgresStore({ url, project: 'p', directory: '/nowhere' }).catch((reason) => reason);
    const same = await new PostgresStorage({ url, project: 'p' }).list('c').catch((reason) => reason);
    console.log(error instanceof SavepointError, same.code, error.hint);
  `;
  expect(node(['--input-type=module', '-e', script])).toBe('true store-failed npm install pg\n');
});

it('gives out the classes of the interactive agent, and loads neither the SDK nor a terminal', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const replica = await import('${built}/replica/library.js');
    const { CheckpointManager } = replica;
    const manager = new CheckpointManager({ sessionDir: '${folder}/session', sessionId: 's' });
    await manager.initialize();
    manager.captureCheckpoint('uuid', 'a prompt', 's');
    await manager.flush();
    console.log(JSON.stringify({
      names: Object.keys(replica),
      ids: manager.listCheckpoints().map(({ id }) => id),
      unwanted: loaded.filter((url) => /terminal-interactive|anthropic|node:(readline|tty)/.test(url)),
      open: process.getActiveResourcesInfo(),
    }));
  `;
  const said = JSON.parse(node(['--input-type=module', '-e', script]));
  expect(said).toMatchObject({ ids: ['uuid'], unwanted: [] });
  expect(said.open.filter((kind: string) => kind.startsWith('TTY'))).toEqual([]);
  expect(said.names).toEqual(
    expect.arrayContaining([
      'Application',
      'CheckpointManager',
      'ConfigManager',
      'InteractiveRunner',
      'MessageRouter',
      'PermissionManager',
      'RunnerFactory',
      'SDKConfigLoader',
      'SDKQueryExecutor',
      'SessionManager',
      'StreamingQueryManager',
    ]),
  );
});

function node(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}
