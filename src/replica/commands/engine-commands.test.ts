import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandBench } from '../../../test/replica/command-bench.ts';
import { memoryStore, openSavepoint, type Savepoint } from '../../index.ts';
import { EngineFiles } from '../files/engine-files.ts';

let scratch: string;
let project: string;
let savepoint: Savepoint;
let files: EngineFiles;
let bench: CommandBench;
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'replica-commands-'));
  bench = await CommandBench.create(scratch);
  project = bench.open.project;
  savepoint = await openSavepoint({ project, store: await memoryStore(), scan: true });
  files = new EngineFiles(savepoint, (gap) => expect.unreachable(gap));
  bench.files = files;
});
afterEach(async () => {
  await files.close();
  rmSync(scratch, { recursive: true, force: true });
});

const inProject = (name: string): string => join(project, name);
const read = (name: string): string => readFileSync(inProject(name), 'utf8');

/** A prompt of the open conversation, under which the agent writes some files. */
async function turn(promptId: string, written: Readonly<Record<string, string>>): Promise<void> {
  await begin(promptId);
  const { id: sessionId } = bench.open;
  const paths = Object.keys(written);
  const capture = await savepoint.captureBefore({ sessionId, messageId: promptId, paths });
  for (const [name, text] of Object.entries(written)) writeFileSync(inProject(name), text);
  await savepoint.captureAfter(capture);
  await files.turnEnds(sessionId);
}

function begin(promptId: string): Promise<void> {
  const { id: sessionId } = bench.open;
  const description = `prompt ${promptId}`;
  return files.promptBegins({ sessionId, parentSessionId: null, promptId, description });
}

async function rewindTo(promptId: string): Promise<void> {
  await files.restore(await files.plan(promptId), null);
}

describe('/undo and /redo', () => {
  it('take a rewind back and do it again, and say which files that touched', async () => {
    writeFileSync(inProject('a.txt'), 'one\n');
    await turn('p1', { 'a.txt': 'two\n', 'new.txt': 'new\n' });
    await rewindTo('p1');
    expect(read('a.txt')).toBe('one\n');

    expect(await bench.run('/undo')).toBeNull();
    expect(read('a.txt')).toBe('two\n');
    expect(read('new.txt')).toBe('new\n');
    expect(bench.ui.successes).toEqual(['Undone; /redo does it again.']);
    expect(bench.ui.block).toEqual(['  restored  a.txt', '  restored  new.txt']);

    bench.ui.block.length = 0;
    expect(await bench.run('/redo')).toBeNull();
    expect(read('a.txt')).toBe('one\n');
    expect(existsSync(inProject('new.txt'))).toBe(false);
    expect(bench.ui.successes.at(-1)).toBe('Redone; /undo takes it back again.');
    expect(bench.ui.block).toEqual(['  restored  a.txt', '  deleted   new.txt']);
  });

  it('leave what a person changed since, and say so', async () => {
    writeFileSync(inProject('a.txt'), 'one\n');
    await turn('p1', { 'a.txt': 'two\n' });
    await rewindTo('p1');
    writeFileSync(inProject('a.txt'), 'mine\n');
    expect(await bench.run('/undo')).toBeNull();
    expect(read('a.txt')).toBe('mine\n');
    expect(bench.ui.successes).toEqual([]);
    expect(bench.ui.warnings).toEqual(['No file was changed.']);
    expect(bench.ui.block.join('\n')).toMatch(/conflict {2}a\.txt {2}left as it is: somebody else/);
  });

  it('say when there is nothing to take back', async () => {
    expect(await bench.run('/undo')).toBe('There is nothing to undo.');
    expect(await bench.run('/redo')).toBe('There is nothing to redo.');
    expect(bench.ui.errors).toEqual([]);
  });

  it('wait until the agent is done, and need files on record', async () => {
    bench.isBusy = true;
    expect(await bench.run('/undo')).toMatch(/^The agent is at work/);
    bench.isBusy = false;
    bench.files = null;
    expect(await bench.run('/redo')).toMatch(/^Files are not on record here/);
    expect(await bench.run('/undo everything')).toBe('It takes nothing. Usage: /undo');
  });
});

describe('/diff', () => {
  it('shows what changed since the last prompt, and since or between others', async () => {
    writeFileSync(inProject('a.txt'), 'one\n');
    await turn('p1', { 'a.txt': 'two\n' });
    await turn('p2', { 'a.txt': 'three\n' });

    expect(await bench.run('/diff')).toBeNull();
    expect(bench.ui.block).toEqual([
      'diff --git a/a.txt b/a.txt',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,1 +1,1 @@',
      '-two',
      '+three',
      '1 path changed, 1 insertion(+), 1 deletion(-)',
    ]);
    bench.ui.block.length = 0;
    await bench.run('/diff p1');
    expect(bench.ui.block).toContain('-one');
    expect(bench.ui.block).toContain('+three');
    bench.ui.block.length = 0;
    await bench.run('/diff ~1 latest');
    expect(bench.ui.block).toContain('-one');
    expect(bench.ui.block).toContain('+two');
  });

  it('clips what nobody reads, and counts it', async () => {
    const long = Array.from({ length: 1000 }, (_, i) => `line ${i}`).join('\n');
    await turn('p1', { 'a.txt': long, 'b.txt': 'b\n', 'c.js': `${'x'.repeat(5000)}\n` });
    await bench.run('/diff');
    const { block } = bench.ui;
    expect(block).toHaveLength(402);
    expect(block.at(-2)).toMatch(/^… \d+ lines and 2 paths more$/);
    expect(block.at(-1)).toMatch(/^3 paths changed, 1002 insertions/);

    block.length = 0;
    const [wide, other] = ['x'.repeat(5000), 'y'.repeat(5000)];
    await turn('p2', { 'c.js': `${wide}\n${other}\n` });
    bench.paint = (_style, text) => `\u001b[1m${text}\u001b[0m`;
    await bench.run('/diff');
    expect(block).toContain(` ${'x'.repeat(398)}…`);
    expect(block).toContain(bench.paint('green', `+${'y'.repeat(398)}…`));
  });

  it('says when nothing is different and when there is no such checkpoint', async () => {
    await begin('p1');
    expect(await bench.run('/diff')).toBe('No differences.');
    expect(await bench.run('/diff nowhere')).toBe('no checkpoint "nowhere"; see /checkpoint list');
    expect(await bench.run('/diff a b c')).toBe('That is too much. Usage: /diff [REF] [REF2]');
  });
});

describe('/label', () => {
  it('gives a checkpoint a name that other commands take, and takes it away', async () => {
    await turn('p1', { 'a.txt': 'a\n' });
    const [{ id } = { id: '' }] = await files.savepoint.list();
    const short = id.slice(0, 8);
    expect(await bench.run('/label latest before the move')).toBe(
      `${short} has the label "before the move".`,
    );
    expect(await bench.run('/diff "before the move"')).toBeNull();
    expect(await bench.run('/label "before the move" -')).toBe(`${short} has no label now.`);
    expect((await files.savepoint.list())[0]?.label).toBeNull();
  });

  it('says what is missing or refused, in one line', async () => {
    await begin('p1');
    expect(await bench.run('/label')).toBe('Which checkpoint? Usage: /label REF TEXT');
    expect(await bench.run('/label latest')).toBe('Which label? Usage: /label REF TEXT');
    expect(await bench.run('/label latest latest')).toMatch(/^a label must not be "latest"/);
    expect(await bench.run('/label gone x')).toMatch(/^no checkpoint "gone"/);
    expect(bench.ui.errors).toEqual([]);
  });
});

describe('/checkpoint', () => {
  it('opens the selector with the entry that stays, also by its aliases', async () => {
    bench.rewindSays = 'Exited checkpoint selection.';
    for (const name of ['checkpoint', 'rewind', 'restore']) {
      expect(await bench.run(`/${name}`)).toBe('Exited checkpoint selection.');
    }
    expect(bench.rewinds).toBe(3);
    bench.isBusy = true;
    expect(await bench.run('/checkpoint')).toMatch(/^The agent is at work/);
    expect(bench.rewinds).toBe(3);
  });

  it('makes one by hand that files go back to', async () => {
    writeFileSync(inProject('a.txt'), 'one\n');
    const said = await bench.run('/checkpoint save before lunch');
    const [made] = await files.savepoint.list();
    expect(made).toMatchObject({ kind: 'manual', description: 'before lunch' });
    expect(said).toBe(`Saved ${made?.id.slice(0, 8)} "before lunch".`);
    await turn('p1', { 'a.txt': 'two\n' });
    await rewindTo(made?.id ?? '');
    expect(read('a.txt')).toBe('one\n');
    expect(await bench.run('/checkpoint save')).toMatch(/^What is it to be called\? Usage: /);
  });

  it('lists what there is, newest first, without what a rewind made for itself', async () => {
    expect(await bench.run('/checkpoint list')).toBe('No checkpoints found.');
    await turn('p1', { 'a.txt': 'a\n' });
    await turn('p2', { 'a.txt': 'b\n', 'b.txt': 'b\n' });
    await bench.run('/label latest~1 first');
    await rewindTo('p2');
    expect(await bench.run('/checkpoint list')).toBeNull();
    const lines = bench.ui.block.map((line) => line.replace(/^ {2}\w{8} {2}.*? {2}(?=\d)/, ''));
    expect(lines).toEqual(['2 files  prompt p2', '1 file   [first] prompt p1']);
  });

  it('carries a conversation to another timeline', async () => {
    await turn('p1', { 'a.txt': 'a\n' });
    expect(await bench.run('/checkpoint export kept.savepoint')).toMatch(
      /^written to .*kept\.savepoint: 1 checkpoint and 1 change$/,
    );
    expect(await bench.run('/checkpoint import kept.savepoint')).toBe('all of it was here already');
    expect(await bench.run('/checkpoint export kept.savepoint')).toBeNull();
    expect(bench.ui.errors[0]).toMatch(/^❌ Command execution failed: the file is there already: /);

    const elsewhere = join(scratch, 'elsewhere');
    mkdirSync(elsewhere);
    const other = await openSavepoint({
      project: elsewhere,
      store: await memoryStore(),
      scan: true,
    });
    bench.files = new EngineFiles(other, (gap) => expect.unreachable(gap));
    expect(await bench.run('/checkpoint import kept.savepoint')).toMatch(
      /^1 checkpoint was brought in$/,
    );
    expect((await other.list()).map(({ messageId }) => messageId)).toContain('p1');
    await other.close();
  });

  it('says what it does when asked for something else', async () => {
    expect(await bench.run('/checkpoint drop')).toBe(
      '"drop" is nothing that it does. Usage: /checkpoint [save TEXT | list | export FILE | import FILE]',
    );
    expect(await bench.run('/checkpoint export')).toMatch(/^Into which file\? Usage: /);
    expect(await bench.run('/checkpoint export x.savepoint')).toBe(
      'Nothing is on record of this conversation yet.',
    );
    expect(await bench.run('/checkpoint import gone.savepoint')).toBeNull();
    expect(bench.ui.errors[0]).toMatch(/there is no such file: /);
  });

  it('completes its words, and files of the project', async () => {
    writeFileSync(inProject('kept.savepoint'), '');
    mkdirSync(inProject('keep'));
    const texts = (text: string): string[] =>
      bench.registry.complete(text, bench.context()).map((one) => one.text);
    expect(texts('/checkpoint ')).toEqual([
      '/checkpoint save',
      '/checkpoint list',
      '/checkpoint export',
      '/checkpoint import',
    ]);
    expect(texts('/checkpoint import ke')).toEqual([
      '/checkpoint import keep/',
      '/checkpoint import kept.savepoint',
    ]);
  });

  it('lists its own checkpoints without the engine', async () => {
    bench.files = null;
    bench.checkpoints = {
      listCheckpoints: () => [
        {
          id: 'x',
          timestamp: new Date(bench.context().now() - 60_000),
          description: 'hi',
          sessionId: 's',
        },
      ],
    };
    await bench.run('/checkpoint list');
    expect(bench.ui.block).toEqual(['  1 minute ago  hi']);
    bench.checkpoints = null;
    expect(await bench.run('/checkpoint list')).toBe('Checkpoint feature not enabled');
  });
});
