import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathMatcher } from '../capture/ignore/folder-view.ts';
import { relativePath } from '../index.ts';
import {
  type Configuration,
  loadConfiguration,
  SETTING_KEYS,
  type SettingKey,
} from './settings.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'savepoint-config-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

interface Given {
  readonly user?: unknown;
  readonly project?: unknown;
  readonly manifest?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
}

function load({ user, project, manifest, environment = {} }: Given): Configuration {
  write('user/config.json', user);
  write('project/savepoint.config.json', project);
  write('project/package.json', manifest);
  const userFile = join(scratch, 'user/config.json');
  return loadConfiguration({ project: join(scratch, 'project'), userFile, environment });
}

function write(name: string, value: unknown): void {
  const file = join(scratch, name);
  mkdirSync(dirname(file), { recursive: true });
  if (value !== undefined)
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
}

function originOf({ effective }: Configuration, key: SettingKey): string | undefined {
  return effective.find((one) => one.key === key)?.origin;
}

describe('where a value comes from', () => {
  it('is the default where nobody says anything', () => {
    const { values, effective, problems, warnings } = load({});
    expect(values).toMatchObject({ maxFileSize: 10_485_760, retentionDays: 7, exclude: [] });
    expect(effective.map(({ key }) => key)).toEqual(SETTING_KEYS);
    expect(effective.every(({ origin }) => origin === 'default')).toBe(true);
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
  });

  it('is the environment before the project before the user', () => {
    const user = { maxFileSize: '20 MiB', maxEntries: 20_000, lockTimeoutMs: 5 };
    const project = { maxFileSize: '30 MiB', maxEntries: 30_000 };
    const configuration = load({ user, project, environment: { SAVEPOINT_MAX_FILE_SIZE: '1MB' } });
    expect(configuration.values).toMatchObject({
      maxFileSize: 1_000_000,
      maxEntries: 30_000,
      lockTimeoutMs: 5,
    });
    expect(originOf(configuration, 'maxFileSize')).toBe('environment');
    expect(originOf(configuration, 'maxEntries')).toBe('project');
    expect(originOf(configuration, 'lockTimeoutMs')).toBe('user');
    const { source } = configuration.effective.find(({ key }) => key === 'maxFileSize') ?? {};
    expect(source).toBe('SAVEPOINT_MAX_FILE_SIZE');
  });

  it('is package.json only where there is no savepoint.config.json', () => {
    const manifest = { name: 'x', savepoint: { scan: true } };
    expect(originOf(load({ manifest }), 'scan')).toBe('project');
    expect(load({ manifest, project: {} }).values.scan).toBe(false);
  });

  it('is every place for what is excluded', () => {
    const configuration = load({
      user: { exclude: ['*.pem'] },
      project: { exclude: ['.env', '*.pem'] },
      environment: { SAVEPOINT_EXCLUDE: 'a:b' },
    });
    const { parts, value } = configuration.effective.find(({ key }) => key === 'exclude') ?? {};
    expect(value).toEqual(['*.pem', '.env', 'a', 'b']);
    expect(parts?.map(({ origin }) => origin)).toEqual(['user', 'project', 'environment']);
    const isExcluded = pathMatcher(configuration.values.exclude);
    for (const name of ['x.pem', '.env', 'a', 'b'])
      expect(isExcluded(relativePath(name), false), name).toBe(true);
  });

  it('has a variable of its own for each setting, unless an agent could set it for itself', () => {
    const all = load({}).effective;
    expect(all.filter(({ variable }) => variable === null).map(({ key }) => key)).toEqual([
      'mcpRewind',
    ]);
    for (const { key, variable } of all.filter((one) => one.variable !== null)) {
      const words = key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
      expect(variable).toBe(`SAVEPOINT_${words}`);
    }
  });
});

describe('a project', () => {
  it.each([
    ['maxFileSize', 0],
    ['maxScanEntries', 0],
    ['scanDeadlineMs', 0],
    ['retentionDays', 0],
    ['maxCheckpointsPerSession', 1],
  ] as const)('cannot have less kept by lowering %s', (key, value) => {
    const { values, warnings } = load({ project: { [key]: value } });
    expect(values[key]).toEqual(load({ project: {} }).values[key]);
    expect(warnings).toEqual([expect.stringContaining(`"${key}" may be raised`)]);
  });

  it('cannot turn a scan off that the user wants', () => {
    expect(load({ user: { scan: true }, project: { scan: false } }).values.scan).toBe(true);
  });

  it.each([
    ['maxStoreBytes', 1],
    ['scanWorkers', 64],
    ['lockTimeoutMs', 0],
  ] as const)('cannot set %s, neither higher nor lower', (key, value) => {
    const { effective, warnings } = load({ project: { [key]: value } });
    expect(effective.find((one) => one.key === key)?.origin).toBe('default');
    expect(warnings).toEqual([expect.stringContaining('for your own file')]);
  });

  it('takes no pattern of the user away', () => {
    const { values } = load({ user: { exclude: ['.env'] }, project: { exclude: [] } });
    expect(values.exclude).toEqual(['.env']);
  });

  it('cannot bring back with "!" what the user excludes', () => {
    const { values } = load({
      user: { exclude: ['.env'] },
      project: { exclude: ['.env', '!.env', '!*.pem'] },
      environment: { SAVEPOINT_EXCLUDE: '*.pem' },
    });
    const isExcluded = pathMatcher(values.exclude);
    expect(isExcluded(relativePath('.env'), false)).toBe(true);
    expect(isExcluded(relativePath('key.pem'), false)).toBe(true);
  });

  it('excludes no file that says what is recorded; the user may', () => {
    const project = { exclude: ['*'] };
    const files = ['savepoint.config.json', '.gitignore', '.savepointignore'];
    const ofProject = pathMatcher(load({ project }).values.exclude);
    expect(files.filter((file) => ofProject(relativePath(file), false))).toEqual([]);
    expect(ofProject(relativePath('other'), false)).toBe(true);
    const ofUser = pathMatcher(load({ project, user: { exclude: ['*'] } }).values.exclude);
    expect(files.filter((file) => ofUser(relativePath(file), false))).toEqual(files);
  });
});

describe('what is wrong', () => {
  it.each([
    ['not JSON', '{ "maxFileSize": '],
    ['no object', '[1]'],
    ['another kind of value', { maxFileSize: 'much' }],
    ['a negative number', { maxEntries: -1 }],
    ['a pattern of two lines', { exclude: ['a\nb'] }],
  ])('is thrown with the file, for the user: %s', (_what, user) => {
    expect(() => load({ user })).toThrow(
      expect.objectContaining({ code: 'config-invalid', path: join(scratch, 'user/config.json') }),
    );
  });

  it('is thrown with the variable, and names what is expected', () => {
    expect(() => load({ environment: { SAVEPOINT_SCAN: 'maybe' } })).toThrow(
      'SAVEPOINT_SCAN must be true or false',
    );
  });

  it.each([
    ['a file that is not JSON', { project: '{' }],
    ['a package.json that an agent broke', { manifest: '<<<<<<< HEAD' }],
    ['a value of another kind', { project: { scan: 'yes', maxEntries: 99_999 } }],
  ])('in a project stops nobody and is listed: %s', (_what, given) => {
    const { problems, values } = load(given);
    expect(problems).toMatchObject([{ code: 'config-invalid' }]);
    expect(values.scan).toBe(false);
  });

  it('in one value leaves the others of its file', () => {
    expect(load({ project: { scan: 1, maxEntries: 99_999 } }).values.maxEntries).toBe(99_999);
  });

  it('is only warned about where a name is unknown, whatever the name', () => {
    const project = '{ "exlude": [".env"], "__proto__": { "scan": true }, "constructor": 1 }';
    const { warnings, values } = load({ project });
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toContain('no setting is called "exlude"');
    expect(values.scan).toBe(false);
  });

  it('quotes nothing of a file that is not JSON', () => {
    const { problems } = load({ project: 'password: dummy' });
    expect(problems[0]?.message).not.toContain('dummy');
  });

  it('does not wait for a FIFO', () => {
    mkdirSync(join(scratch, 'project'));
    execFileSync('mkfifo', [join(scratch, 'project/savepoint.config.json')]);
    expect(load({}).problems[0]?.message).toMatch(/is not a file$/);
  });
});
