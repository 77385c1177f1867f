import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunProject } from './run-project.ts';

let project: RunProject;
beforeEach(() => {
  project = new RunProject();
});
afterEach(() => project.remove());

/**
 * Writes, says that it is there, and waits for its end. Says so itself: a shell passes over an interrupt that
 * comes while another program works for it.
 */
const WAITING = `printf half > src/main.txt; : > "$HOME/ready"; exec sleep 30`;

describe('a signal for savepoint run', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s goes to the program, and what that did is still put on record',
    async (signal, code) => {
      const before = project.picture();
      const running = project.startRun(WAITING);
      await project.appears('ready');
      running.kill(signal);
      expect((await running.ended).code).toBe(code);
      expect(project.read('src/main.txt')).toBe('half');
      expect((await project.cli(['undo'])).code).toBe(0);
      expect(project.picture()).toEqual(before);
      expect(JSON.parse((await project.cli(['status', '--json'])).out)).toMatchObject({
        running: [],
      });
    },
  );

  it('leaves it to the program what a signal means', async () => {
    const before = project.picture();
    const running = project.startRun(
      `trap 'printf tidied > src/main.txt; exit 0' TERM; touch "$HOME/ready"
       for i in $(seq 1000); do sleep 0.01; done`,
    );
    await project.appears('ready');
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    expect(project.read('src/main.txt')).toBe('tidied');
    await project.cli(['undo']);
    expect(project.picture()).toEqual(before);
  });

  it('that kills it outright makes what the program did shared, not lost', async () => {
    const running = project.startRun(
      `printf half > src/main.txt; touch "$HOME/ready"
       for i in $(seq 1000); do [ -e "$HOME/go" ] && break; sleep 0.01; done; touch "$HOME/done"`,
    );
    await project.appears('ready');
    running.kill('SIGKILL');
    await running.ended;
    project.sh('touch "$HOME/go"');
    await project.appears('done');
    const savepoint = await project.open();
    const [checkpoint] = await savepoint.list();
    const { changes } = await savepoint.scan();
    expect(changes).toMatchObject([{ path: 'src/main.txt', attribution: 'shared' }]);
    expect((await savepoint.status()).running).toEqual([]);
    await savepoint.rewind({ to: checkpoint?.id ?? '', includeShared: true });
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });
});
