import { renameSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

const NO_COLOR = { env: { NO_COLOR: '1' } };

describe('savepoint why', () => {
  const project = new CliProject({ 'a.txt': 'one\ntwo\n', 'b:2': 'x\ny\n', empty: '' });
  const RED = '\u001b[31m';
  let id: string;

  beforeAll(async () => {
    await project.open(async (savepoint) => {
      await savepoint.scan();
      const mention = { agent: 'test-agent', description: `Add ${RED} lines.\nAll of them.` };
      const request = { sessionId: 's1', messageId: 'm1', toolCallId: 'call-1', ...mention };
      const capture = await savepoint.captureBefore({ ...request, paths: ['a.txt'] });
      project.write('a.txt', `one\ntwo\nthree ${RED}\nfour\n`);
      await savepoint.captureAfter(capture);
      id = capture.checkpointId;
    });
    project.write('a.txt', `${project.read('a.txt')}mine\n`);
    await project.open(async (savepoint) => {
      const request = { sessionId: 's1', messageId: 'm2', description: 'Move it.' };
      const window = await savepoint.openWindow({ ...request, toolCallId: 'call-2' });
      renameSync(project.path('a.txt'), project.path('new.txt'));
      project.write('gone.txt', 'x\n');
      await savepoint.closeWindow(window.id);
      await savepoint.scan();
    });
  });
  afterAll(() => project.remove());

  it('shows the lines of a file below whoever wrote them', async () => {
    const { code, out } = await project.run(['why', 'new.txt', '--quiet']);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'before Savepoint',
        '  1  one',
        '  2  two',
        `${id.slice(0, 8)}  test-agent, just now (as a.txt)  Add \\x1b[31m lines.`,
        '  3  three \\x1b[31m',
        '  4  four',
        'you, just now (as a.txt)',
        '  5  mine',
        '',
      ].join('\n'),
    );
  });

  it('tells all that is known of one line', async () => {
    const { rows } = await project.see(['why', 'new.txt:4'], { columns: 40, ...NO_COLOR });
    expect(rows.slice(0, 4)).toEqual([
      'Written by   test-agent',
      `Prompt       ${id.slice(0, 8)} Add \\x1b[31m`,
      '             lines.',
      'Session      s1',
    ]);
    expect(rows.join('\n')).toContain('Tool call    call-1\n');
    expect(rows.join('\n')).toContain('How sure     exact (a tool named it)\n');
    expect(rows.join('\n')).toContain('As           a.txt\n\n  4  four\n');
    const { out } = await project.run(['why', 'new.txt:2-3']);
    expect(out).toMatch(/^before Savepoint\n {2}2 {2}two\n\w{8} .*\n {2}3 {2}three/);
  });

  it('fits a narrow terminal', async () => {
    const { rows } = await project.see(['why', 'new.txt'], { columns: 40, ...NO_COLOR });
    expect(rows.slice(0, 5)).toEqual([
      'before Savepoint',
      '  1  one',
      '  2  two',
      `${id.slice(0, 8)} test-agent, just now (as a.txt)`,
      '  Add \\x1b[31m lines.',
    ]);
  });

  it('gives programs all of it', async () => {
    const { code, out, err } = await project.run(['why', '--json', 'new.txt:4-99']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expectSchema('why', out);
    expect(JSON.parse(out)).toMatchObject({
      path: 'new.txt',
      noLines: null,
      lineCount: 5,
      spans: [
        { first: 4, last: 4, origin: 0, lines: ['four'] },
        { first: 5, last: 5, origin: 1, lines: ['mine'] },
      ],
      origins: [
        {
          kind: 'agent',
          path: 'a.txt',
          checkpointId: id,
          sessionId: 's1',
          agent: 'test-agent',
          toolCallId: 'call-1',
          attribution: 'exact',
        },
        { kind: 'outside', checkpointId: null, reason: null },
      ],
    });
  });

  it('lists what happened to a file under all its names', async () => {
    const { code, out } = await project.run(['why', 'new.txt', '--history']);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.replace(/\b\w{8} test/, 'ID test'))).toEqual([
      'R just now  ID test-agent, renamed from a.txt to new.txt, inferred (a command was running), Move it.',
      'M just now  you, +1',
      'M just now  ID test-agent, +2, Add \\x1b[31m lines.',
      '',
    ]);
    const json = await project.run(['why', 'new.txt', '--history', '--json']);
    expectSchema('why-history', json.out);
    expect(JSON.parse(json.out).changes).toMatchObject([
      { change: 'renamed', from: 'a.txt', path: 'new.txt', toolCallId: 'call-2' },
      { change: 'modified', origin: 'outside', insertions: 1 },
      { change: 'modified', checkpointId: id, insertions: 2, attribution: 'exact' },
    ]);
    expect((await project.run(['why', 'nowhere', '--history'])).code).toBe(4);
  });

  it('takes a file for what it is, though its name looks like one with a line', async () => {
    expect((await project.run(['why', 'b:2'])).out).toContain('  1  x\n  2  y\n');
    expect((await project.run(['why', 'b:2:2'])).out).toContain('\n  2  y\n');
  });

  it('says what has no lines, and what there is not', async () => {
    rmSync(project.path('gone.txt'));
    const gone = await project.run(['why', 'gone.txt']);
    expect(gone).toMatchObject({ code: 4 });
    expect(gone.out).toBe('gone.txt: it is not there\nD just now  you, -1\n');
    expect((await project.run(['why', 'empty'])).out).toBe('The file is empty.\n');
    expect(await project.run(['why', 'new.txt:9'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no such line: the file has 5 lines'),
    });
    expect((await project.run(['why', 'new.txt:3-2'])).code).toBe(2);
    expect((await project.run(['why', 'new.txt:0'])).code).toBe(2);
    expect((await project.run(['why', '.'])).code).toBe(2);
    expect((await project.run(['why'])).code).toBe(2);
    const elsewhere = await project.run(['why', '/etc/passwd']);
    expect(elsewhere).toMatchObject({ code: 4, out: '' });
  });
});
