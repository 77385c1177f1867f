import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { changedPaths, command, message, withProject } from './agent-work.ts';

const place = withProject();

/** Runs a command that does not end well, and shows that what it did is taken back. */
async function takesBackHalf(script: string): Promise<number | null> {
  const { project, savepoint } = place;
  const { id } = await message(savepoint);
  const before = project.picture();
  let code: number | null = 0;
  await command(savepoint, () => {
    code = project.failing(script);
  });
  const after = project.picture();
  expect(after).not.toEqual(before);
  await savepoint.rewind({ to: id });
  expect(project.picture()).toEqual(before);
  await savepoint.undo();
  expect(project.picture()).toEqual(after);
  return code;
}

/** Waits for a sign that a process gives, for a bounded time. */
async function appears(path: string): Promise<void> {
  for (let times = 0; times < 1_000 && !existsSync(path); times += 1) await sleep(10);
  if (!existsSync(path)) throw new Error(`no sign of ${path}`);
}

/** A process that outlives its command and writes when it is told to. */
const LATE = `
( for i in $(seq 1000); do [ -e "$HOME/go" ] && break; sleep 0.01; done
  printf 'late\\n' > late.txt; printf 'six\\n' >> src/main.txt; touch "$HOME/done" ) > /dev/null 2>&1 &
`;

describe('what a command did is taken back', () => {
  it('when it failed half way', async () => {
    expect(await takesBackHalf('printf x > src/main.txt; rm link; exit 3')).toBe(3);
  });

  it('when it was killed in the middle of a write', async () => {
    expect(await takesBackHalf('printf half > src/main.txt; mkdir new; kill -9 $$')).toBe(null);
  });

  it('when it was ended while it wrote file after file', async () => {
    const script =
      'timeout -s KILL 0.2 bash -c "for ((i = 0; ; i++)); do echo $i > f$((i % 20)); done"';
    expect(await takesBackHalf(script.replaceAll('$', '\\$'))).not.toBe(0);
  });
});

describe('a process that a command left behind', () => {
  it('does not make the command’s own what it writes later', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh(`printf 'zero\\n' > docs/guide.md${LATE}`));
    project.sh('touch "$HOME/go"');
    await appears(`${project.user}/done`);
    const { changes } = await savepoint.scan();
    expect(changes.map(({ path, origin }) => [path, origin])).toEqual([
      ['src/main.txt', 'outside'],
      ['late.txt', 'outside'],
    ]);
    await savepoint.rewind({ to: id });
    expect(project.read('docs/guide.md')).toBe('words\n');
    expect(project.read('late.txt')).toBe('late\n');
  });

  it('is taken back with the next command if it writes while that one runs', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const before = project.picture();
    await command(savepoint, () => project.sh(`true${LATE}`));
    const report = await command(savepoint, async () => {
      project.sh('touch "$HOME/go"');
      await appears(`${project.user}/done`);
    });
    expect(changedPaths(report)).toEqual(['late.txt', 'src/main.txt']);
    await savepoint.rewind({ to: id });
    expect(project.picture()).toEqual(before);
  });

  it('that writes between scan and rewind makes a conflict or a merge, never a loss', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh(`sed -i 's/one/ONE/' src/main.txt${LATE}`));
    project.sh('touch "$HOME/go"');
    await appears(`${project.user}/done`);
    await savepoint.rewind({ to: id });
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nfive\nsix\n');
  });
});

describe('a window of which nobody told the end', () => {
  it('makes what was done in it shared once its session goes on', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
    project.sh('printf x > src/main.txt');
    await message(savepoint, 'm2');
    const receipt = await savepoint.rewind({ to: id });
    expect(receipt.skipped).toEqual([{ path: 'src/main.txt', reason: 'shared-attribution' }]);
    expect(project.read('src/main.txt')).toBe('x');
    expect((await savepoint.status()).running).toEqual([]);
  });

  it('ends with the turn', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const window = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
    project.sh('rm src/main.txt');
    await savepoint.endTurn('agent');
    expect((await savepoint.status()).running).toEqual([]);
    await expect(savepoint.closeWindow(window.id)).rejects.toMatchObject({
      code: 'argument-invalid',
    });
    await savepoint.rewind({ to: id, includeShared: true });
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });

  it('stays open while another session goes on', async () => {
    const { project, savepoint } = place;
    const window = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
    await message(savepoint, 'n1', 'other');
    project.sh('printf x > src/main.txt');
    const { changes } = await savepoint.closeWindow(window.id);
    expect(changes).toMatchObject([{ sessionId: 'agent', attribution: 'inferred' }]);
  });

  it('cannot be closed twice, nor under an id that nobody has', async () => {
    const { savepoint } = place;
    const window = await savepoint.openWindow({ sessionId: 'agent', messageId: 'm1' });
    await savepoint.closeWindow(window.id);
    for (const id of [window.id, 'w-unknown']) {
      await expect(savepoint.closeWindow(id)).rejects.toMatchObject({ code: 'argument-invalid' });
    }
  });
});
