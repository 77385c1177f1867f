import { existsSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { Worktree } from '../../src/capture/scan/worktree.ts';
import { command, message, withProject } from './agent-work.ts';

const place = withProject();
afterEach(() => vi.restoreAllMocks());

/** Lets the next walk be made, and keeps its result back until it is released. */
function holdNextWalk(): { readonly walked: Promise<void>; release(): void } {
  const walk = Worktree.prototype.walk;
  const released = Promise.withResolvers<void>();
  const walked = Promise.withResolvers<void>();
  vi.spyOn(Worktree.prototype, 'walk').mockImplementationOnce(async function (
    this: Worktree,
    deadline,
  ) {
    const found = await walk.call(this, deadline);
    walked.resolve();
    await released.promise;
    return found;
  });
  return { walked: walked.promise, release: released.resolve };
}

it('a first scan that comes second finds what an agent did since the other one', async () => {
  const { project, savepoint } = place;
  project.write('gone.txt', 'was here\n');
  project.write('edited.txt', 'was this\n');
  const other = await project.open();
  const held = holdNextWalk();
  const late = other.scan();
  await held.walked;
  expect((await savepoint.scan()).first).not.toBeNull();
  const { id: to } = await message(savepoint);
  await command(savepoint, async () => {
    project.sh('rm gone.txt; echo agent > edited.txt; echo agent > new.txt');
    held.release();
    expect(await late).toMatchObject({ first: null, coverage: 'scanned' });
  });
  await savepoint.rewind({ to });
  expect(project.read('gone.txt')).toBe('was here\n');
  expect(project.read('edited.txt')).toBe('was this\n');
  expect(existsSync(project.at('new.txt'))).toBe(false);
});
