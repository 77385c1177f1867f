import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, MAIN, type Result, runNode } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
const NAMES = Array.from({ length: 30 }, (_, n) => `f${String(n).padStart(2, '0')}.txt`);
beforeEach(() => {
  project = new CliProject(Object.fromEntries(NAMES.map((name) => [name, 'old\n'])));
});
afterEach(() => project.remove());

interface Moments {
  /** A function of `node:fs`; calls with something of the project or of `target` count. */
  readonly call: string;
  /** The calls at which Ctrl-C is pressed. */
  readonly at: readonly number[];
  readonly target?: string;
}

/** A file system that is slow, so that there is time to press Ctrl-C in the middle of something. */
function pressing({ call, at, target }: Moments): string {
  return `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const real = fs.${call};
    const places = ${JSON.stringify([project.root, target ?? project.root, '/proc/self/fd'])};
    let calls = 0;
    process.on('exit', () => fs.writeFileSync(${JSON.stringify(countFile())}, String(calls)));
    fs.${call} = (...args) => {
      if (places.some((place) => String(args[0]).startsWith(place))) {
        if (${JSON.stringify(at)}.includes(calls)) process.kill(process.pid, 'SIGINT');
        calls += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
      return real(...args);
    };
    syncBuiltinESMExports();`;
}

const countFile = () => join(project.scratch, 'calls');
/** How many calls there were until the end. */
const calls = () => Number(readFileSync(countFile(), 'utf8'));

function runInterrupted(args: readonly string[], moments: Moments): Promise<Result> {
  const preload = join(project.scratch, 'press.mjs');
  writeFileSync(preload, pressing(moments));
  const options = { cwd: project.root, env: project.env() };
  return runNode(['--import', preload, MAIN, ...args], options);
}

async function agentWritesAll(): Promise<string> {
  const paths = NAMES;
  const work = () => {
    for (const name of NAMES) project.write(name, 'new\n');
  };
  return project.agent({ message: 'm1', paths, work });
}

const contents = () => new Set(NAMES.map((name) => project.read(name)));

describe('Ctrl-C in a rewind', () => {
  it('changes nothing while the plan is made, and says so', async () => {
    const id = await agentWritesAll();
    const { code, out, err } = await runInterrupted(['rewind', id], { call: 'openSync', at: [5] });
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toBe('\nsavepoint: interrupted; nothing was changed\n');
    expect(calls()).toBeLessThan(NAMES.length);
    expect(contents()).toEqual(new Set(['new\n']));
  });

  it('says so to programs as JSON', async () => {
    const id = await agentWritesAll();
    const moments = { call: 'openSync', at: [5] };
    const { code, out, err } = await runInterrupted(['rewind', id, '--json'], moments);
    expect({ code, err }).toEqual({ code: 130, err: '' });
    expectSchema('error', out);
    expect(JSON.parse(out).error).toMatchObject({
      code: 'aborted',
      message: 'interrupted; nothing was changed',
    });
  });

  it('lets a restore finish, says what was done, and exits 130', async () => {
    const id = await agentWritesAll();
    const { code, out, err } = await runInterrupted(['rewind', id], {
      call: 'renameSync',
      at: [3],
    });
    expect(code).toBe(130);
    expect(err).toContain('savepoint: finishing the restore first; once more ends it at once\n');
    expect(out).toContain('Done: 30 restored.');
    expect(contents()).toEqual(new Set(['old\n']));
    expect((await project.run(['undo'])).code).toBe(0);
    expect(contents()).toEqual(new Set(['new\n']));
  });

  it('ends a restore at once when pressed again, and the next command finishes it', async () => {
    const id = await agentWritesAll();
    const moments = { call: 'renameSync', at: [1, 12] };
    const { code, out, err } = await runInterrupted(['rewind', id], moments);
    expect(code).toBe(130);
    expect(out).not.toContain('Done');
    expect(err).toMatch(
      /interrupted; the restore was cut off: the next savepoint command finishes it or takes it back\n$/,
    );
    expect(contents()).toEqual(new Set(['old\n', 'new\n']));
    const next = await project.run(['list']);
    expect(next).toMatchObject({ code: 0, err: expect.stringContaining('interrupted rewind was') });
    expect(contents().size).toBe(1);
    expect(readdirSync(project.root)).toEqual(NAMES);
  });
});

describe('Ctrl-C in a run', () => {
  it('starts no program when it comes during the first scan', async () => {
    const args = ['run', '--', 'touch', 'started'];
    const { code, err } = await runInterrupted(args, { call: 'openSync', at: [5] });
    expect(code).toBe(130);
    expect(err).toBe('\nsavepoint: interrupted; the program was not started\n');
    expect(calls()).toBeLessThan(NAMES.length);
    expect(existsSync(project.path('started'))).toBe(false);
    expect((await project.run(['list', '--json'])).out).toContain('"checkpoints": []');
  });

  it('puts on record what the program did, when it comes after it', async () => {
    expect((await project.run(['run', '--', 'true'])).code).toBe(0);
    const script = 'for f in f*.txt; do echo changed > $f; done';
    const args = ['run', '--', 'sh', '-c', script];
    const { code, err } = await runInterrupted(args, { call: 'openSync', at: [5] });
    expect(code).toBe(130);
    expect(err).toContain('savepoint: finishing the record of what it changed first');
    expect(err).toContain('30 paths changed');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(contents()).toEqual(new Set(['old\n']));
  });
});

it('says what Ctrl-C in a materialize leaves', async () => {
  await project.run(['run', '--', 'true']);
  const target = join(project.scratch, 'target');
  const moments = { call: 'openSync', at: [20], target };
  const { code, err } = await runInterrupted(['materialize', 'latest', target], moments);
  expect(code).toBe(130);
  expect(err).toBe(
    `\nsavepoint: interrupted; the project was not touched; ${target} may hold a part of the tree\n`,
  );
  expect(readdirSync(target).length).toBeLessThan(NAMES.length);
  expect(contents()).toEqual(new Set(['old\n']));
});
