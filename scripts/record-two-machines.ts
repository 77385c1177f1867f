import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Stage, setStage } from '../src/cli/demo/stage.ts';
import { startStoryModel } from '../test/agents/model/model.ts';
import type { Story } from '../test/agents/model/script.ts';
import { CLAUDE_CODE } from '../test/agents/real/claude-code.ts';
import { putFile } from '../test/agents/real/real-agent.ts';
import { PostgresServer } from '../test/setup/postgres-server.ts';
import { environment, typeAll } from './record-session.ts';

const SESSION = '5f3a9c1e-6d2b-4c1f-9a37-0d5e8b7f2c44';
const FIRST = 'Add tea to the list.';
const SECOND = 'Print a thank you.';

/** The same on both machines, each of which is asked one of the two. */
const STORY: Story = {
  [FIRST]: [
    [{ act: 'read', path: 'prices.json' }],
    [{ act: 'edit', path: 'prices.json', from: '2.8,', to: '2.8,\n  "tea": 2.2,' }],
  ],
  [SECOND]: [
    [{ act: 'read', path: 'till.mjs' }],
    [
      {
        act: 'edit',
        path: 'till.mjs',
        from: "'utf8'));\n",
        to: "'utf8'));\nconsole.log('Thanks!');\n",
      },
    ],
  ],
};

/**
 * What a person sees who begins a session on one machine and goes on with it on another. Both are this one, with homes
 * and worktrees of their own, on a real server; `ssh` changes from one to the other.
 */
export async function recordTwoMachines(): Promise<string> {
  const server = await PostgresServer.start();
  const [desk, laptop] = [setStage(), setStage()];
  const models = await Promise.all(
    [desk, laptop].map(({ project }) =>
      startStoryModel('messages', STORY, CLAUDE_CODE.toolFor(project)),
    ),
  );
  try {
    shareWithGit(desk, laptop);
    const env = (stage: Stage, machine: string, modelUrl: string): Record<string, string> => {
      CLAUDE_CODE.settle({ home: dirname(stage.project), project: stage.project }, modelUrl);
      putFile(join(dirname(stage.project), '.claude', 'settings.json'), {
        permissions: { defaultMode: 'bypassPermissions' },
      });
      const place = { SAVEPOINT_DATABASE_URL: server.url, SAVEPOINT_MACHINE: machine };
      return environment(stage, {
        programs: { [CLAUDE_CODE.program]: CLAUDE_CODE.file },
        env: { ...CLAUDE_CODE.env(modelUrl), ...GIT, ...place, PS1: `${machine}$ ` },
      });
    };
    const [first, second] = [
      env(desk, 'desk', models[0]?.url ?? ''),
      env(laptop, 'laptop', models[1]?.url ?? ''),
    ];
    const commands = [
      'export SAVEPOINT_DATABASE_PROJECT=till',
      'savepoint init --agent claude-code --yes --quiet',
      `claude --session-id ${SESSION} -p "${FIRST}"`,
      'savepoint label latest tea',
      `git commit -qam "${FIRST}" && git push -q`,
      'ssh laptop',
      'git pull -q',
      'savepoint store join till',
      'savepoint sessions --everywhere',
      'savepoint takeover 5f3a',
      'savepoint diff tea',
      'savepoint materialize tea ../before-tea',
      'savepoint init --agent claude-code --yes --quiet',
      `claude --session-id ${SESSION} -p "${SECOND}"`,
      'savepoint list',
      'savepoint rewind tea --yes',
      'savepoint undo',
    ];
    const all = { ...first, 'BASH_FUNC_ssh%%': goTo(laptop, second) };
    const screen = await typeAll(desk, commands, all);
    // Everybody has a home, and a port, of their own, and a busy machine takes longer.
    return [desk, laptop]
      .reduce((text, { project }) => text.replaceAll(dirname(project), '/home/me'), screen)
      .replaceAll(`:${server.port}/`, ':5432/')
      .replaceAll(/, in\n +/g, ', in ')
      .replaceAll(/\d+ (seconds?|minutes?) ago/g, 'just now')
      .replaceAll(/just now {2,}/g, 'just now  ');
  } finally {
    for (const model of models) await model.close();
    for (const stage of [desk, laptop]) stage.remove();
    await server.stop();
  }
}

const GIT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'somebody',
  GIT_AUTHOR_EMAIL: 'somebody@example.invalid',
  GIT_COMMITTER_NAME: 'somebody',
  GIT_COMMITTER_EMAIL: 'somebody@example.invalid',
};

/** Both have a clone of one repository. */
function shareWithGit(desk: Stage, laptop: Stage): void {
  const shared = join(dirname(desk.project), 'shared.git');
  const git = (cwd: string, ...args: string[]): void => {
    execFileSync('git', args, {
      cwd,
      env: { PATH: process.env.PATH ?? '', ...GIT },
      stdio: 'pipe',
    });
  };
  git(desk.project, 'init', '-q', '--bare', '-b', 'main', shared);
  git(desk.project, 'init', '-q', '-b', 'main');
  git(desk.project, 'add', '.');
  git(desk.project, 'commit', '-qm', 'Begin');
  git(desk.project, 'remote', 'add', 'origin', shared);
  git(desk.project, 'push', '-qu', 'origin', 'main');
  rmSync(laptop.project, { recursive: true });
  git(dirname(laptop.project), 'clone', '-q', shared, laptop.project);
}

/** A function of the shell that becomes the other machine. */
function goTo({ project }: Stage, env: Readonly<Record<string, string>>): string {
  const set = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  return `() { unset SAVEPOINT_DATABASE_PROJECT; ${set.join('; ')}; cd '${project}'; }`;
}
