import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandBench } from '../../../test/replica/command-bench.ts';

let scratch: string;
let bench: CommandBench;
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'replica-conversations-'));
  bench = await CommandBench.create(scratch);
});
afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

async function keptIds(): Promise<string[]> {
  return (await bench.sessions.list(bench.open.project)).sessions.map(({ id }) => id);
}

describe('/sessions', () => {
  it('lists them newest first with age, prompts and name, and marks the open one', async () => {
    const old = await bench.talk({
      ago: 180,
      name: 'dark mode',
      prompts: ['add a\ntoggle', 'now'],
    });
    const newer = await bench.talk({ ago: 5, prompts: ['修复 \u001b[2J 错误'] });
    expect(await bench.run('/sessions')).toBeNull();
    expect(bench.ui.block).toEqual([
      `  * 1  ${bench.open.id.slice(0, 8)}  just now       0 prompts  (empty)`,
      `    2  ${newer.id.slice(0, 8)}  5 minutes ago  1 prompt   修复 \\x1b[2J 错误`,
      `    3  ${old.id.slice(0, 8)}  3 hours ago    2 prompts  "dark mode" add a toggle`,
    ]);
    expect(await bench.run('/sessions all')).toBe('It takes nothing. Usage: /sessions');
  });

  it('warns of one that is damaged, and lists the others', async () => {
    const broken = await bench.talk({ ago: 9 });
    const whole = await bench.talk({ ago: 8 });
    writeFileSync(join(bench.sessions.directoryOf(broken.id), 'session.json'), '{');
    await bench.run('/sessions');
    expect(bench.ui.warnings).toHaveLength(1);
    expect(bench.ui.block.join('\n')).toContain(whole.id.slice(0, 8));
  });
});

describe('/resume', () => {
  it('takes up a conversation by its number, its name or the beginning of its id', async () => {
    const one = await bench.talk({ ago: 2, prompts: ['one'] });
    const two = await bench.talk({ ago: 1, name: 'the second', prompts: ['two', 'more'] });
    const first = bench.open;
    expect(await bench.run('/resume 3')).toBe('Resumed "one", 1 prompt so far.');
    expect(bench.open.id).toBe(one.id);
    bench.open = first;
    expect(await bench.run('/resume the second')).toBe('Resumed "the second", 2 prompts so far.');
    expect(bench.open.id).toBe(two.id);
    expect(await bench.run(`/resume ${one.id.slice(0, 8)}`)).toMatch(/^Resumed "one"/);
    expect(await bench.run(`/resume ${one.id}`)).toBe('This conversation is open already.');
  });

  it('prefers a name to a number', async () => {
    const named = await bench.talk({ ago: 9, name: '1' });
    await bench.run('/resume 1');
    expect(bench.open.id).toBe(named.id);
  });

  it('offers a list without an argument', async () => {
    const before = bench.open;
    const other = await bench.talk({ ago: 60, prompts: ['fix the build'] });
    expect(await bench.run('/resume')).toBe('Exited conversation selection.');
    expect(bench.open).toBe(before);
    expect(bench.ui.lists[0]?.items.map(({ text }) => text)).toEqual([
      '(empty)\njust now, 0 prompts, open now',
      'fix the build\n1 hour ago, 1 prompt',
    ]);
    bench.ui.choose = (items) => items[1]?.id ?? null;
    expect(await bench.run('/resume')).toMatch(/^Resumed "fix the build"/);
    expect(bench.open.id).toBe(other.id);
  });

  it('says what it does not find, and waits until the agent is done', async () => {
    expect(await bench.run('/resume 7')).toBe('No conversation "7"; see /sessions');
    expect(await bench.run('/resume nothing like it')).toBe(
      'No conversation "nothing like it"; see /sessions',
    );
    bench.isBusy = true;
    expect(await bench.run('/resume 1')).toMatch(/^The agent is at work/);
  });
});

describe('/save, /load and /conversations', () => {
  it('name the open conversation and take it up again by that name', async () => {
    expect(await bench.run('/conversations')).toMatch(/^No conversation was saved yet/);
    expect(await bench.run('/save 深色 模式')).toBe(
      'Saved as "深色 模式"; take it up again with /load 深色 模式',
    );
    expect(bench.open.name).toBe('深色 模式');
    const saved = bench.open;
    await bench.talk({ ago: 3 });
    await bench.run('/clear');
    expect(await bench.run('/conversations')).toBeNull();
    expect(bench.ui.block).toEqual([
      `     ${saved.id.slice(0, 8)}  just now  0 prompts  "深色 模式"`,
    ]);
    expect(await bench.run('/load 深色 模式')).toMatch(/^Resumed "深色 模式"/);
    expect(bench.open.id).toBe(saved.id);
  });

  it('refuse a name that is taken, missing or unknown in one line', async () => {
    await bench.talk({ ago: 3, name: 'taken' });
    expect(await bench.run('/save taken')).toBe('Another conversation is called "taken".');
    expect(await bench.run('/save')).toBe('Under which name? Usage: /save NAME');
    expect(await bench.run('/load')).toBe('Which conversation? Usage: /load NAME');
    expect(await bench.run('/load nobody')).toBe(
      'No conversation is called "nobody"; see /conversations',
    );
    expect(bench.open.name).toBeNull();
    expect(bench.ui.errors).toEqual([]);
  });
});

describe('/delete', () => {
  it('asks first, and deletes nothing on a no', async () => {
    const one = await bench.talk({ ago: 3, name: 'old' });
    bench.ui.agrees = false;
    expect(await bench.run('/delete old')).toBe('Nothing was deleted.');
    expect(bench.ui.questions[0]).toMatch(/^Delete the conversation "old" \(1 prompt\) for good\?/);
    expect(await keptIds()).toContain(one.id);
    bench.ui.agrees = true;
    expect(await bench.run(`/delete ${one.id.slice(0, 12)}`)).toBe('Deleted "old".');
    expect(await keptIds()).toEqual([]);
  });

  it('deletes no open conversation, and none by its number or a letter or two', async () => {
    const kept = await bench.talk({ ago: 3 });
    expect(await bench.run(`/delete ${bench.open.id}`)).toMatch(/^This conversation is open/);
    for (const short of ['2', kept.id.slice(0, 3)]) {
      expect(await bench.run(`/delete ${short}`)).toBe(`No conversation "${short}"; see /sessions`);
    }
    expect(await bench.run('/delete')).toBe('Which conversation? Usage: /delete NAME | ID');
    expect(bench.ui.questions).toEqual([]);
    expect(await keptIds()).toEqual([kept.id]);
  });
});

describe('/clear', () => {
  it('begins a new conversation, and the old one stays listed', async () => {
    const old = await bench.talk({ ago: 1 });
    bench.open = old;
    expect(await bench.run('/clear')).toMatch(/^A new conversation\./);
    expect(bench.open.id).not.toBe(old.id);
    expect(bench.ui.cleared).toBe(1);
    expect(await keptIds()).toEqual([old.id]);
  });

  it('leaves an agent at work alone', async () => {
    const { open } = bench;
    bench.isBusy = true;
    expect(await bench.run('/clear')).toMatch(/^The agent is at work/);
    expect(bench.open).toBe(open);
    expect(bench.ui.cleared).toBe(0);
  });
});
