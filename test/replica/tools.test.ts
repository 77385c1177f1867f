import { expect, it } from 'vitest';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import { type Agent, ENTER, ESCAPE, isIdle } from './agent.ts';
import { type AgentProject, inAgentProject } from './agent-project.ts';

const EDITS = 'Change some files';
const LIST = 'Make a list';
const SHELL = 'Run something slow';
const STUCK = 'Run something endless';

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`).join('');
const MANY = Array.from({ length: 40 }, (_, i) => `new ${i + 1}\n`).join('');
const WAIT = 'echo begun; while [ ! -e go ]; do sleep 0.1; done; echo over; exit 3';

function script(project: AgentProject): Script {
  const file_path = project.path('src/lines.txt');
  const edit = { file_path, old_string: 'line 15', new_string: 'LINE 15\nand more' };
  return {
    [EDITS]: [
      [call('Read', { file_path })],
      [call('Write', { file_path: project.path('new.txt'), content: MANY })],
      [call('Edit', edit)],
      [call('Edit', edit)],
      [call('Edit', { ...edit, old_string: 'nowhere' })],
      [say('Some are changed.')],
    ],
    [LIST]: [
      [call('TaskCreate', { subject: 'First thing', description: 'a' })],
      [call('TaskCreate', { subject: 'Second thing', description: 'b' })],
      [call('TaskUpdate', { taskId: '1', status: 'in_progress' })],
      [call('Bash', { command: 'while [ ! -e listed ]; do sleep 0.1; done' })],
      [call('TaskUpdate', { taskId: '1', status: 'completed' })],
      [say('One is done.')],
    ],
    [SHELL]: [[call('Bash', { command: WAIT, description: 'Wait' })], [say('It failed.')]],
    [STUCK]: [[call('Bash', { command: 'while :; do sleep 0.1; done' })], [say('Never.')]],
  };
}

/** Everything that the SDK writes for the model in these turns. */
const FOR_THE_MODEL =
  /file state is current|The user doesn't want|The user said no to|STOP what you|tool_use_error|system-reminder|Task #\d|Updated task|String to replace|Correction to the text/;

it('shows what tools are about to do and have done, and nothing that is written for the model', () =>
  inAgentProject({ 'src/lines.txt': LINES }, script, async (project) => {
    const agent = await project.start(['--model', 'claude-sonnet-4-5']);
    await edits(agent, project);
    await list(agent, project);
    await shell(agent, project);
    expect(agent.raw).not.toMatch(FOR_THE_MODEL);
    expect(await agent.leave()).toBe(0);
  }));

async function edits(agent: Agent, project: AgentProject): Promise<void> {
  agent.resize(60, 40);
  agent.type(`${EDITS}${ENTER}`);
  const created = await agent.until('Create new.txt?');
  expect(created).toContain('● Read src/lines.txt (30 lines)');
  expect(created).toContain('new file, 40 lines\n 1 + new 1\n 2 + new 2\n');
  expect(created).toContain('  2  Yes, and do not ask again in this conversation for\n');
  expect(created).toContain('     Write on any file of this project (a)\n');
  // All of it can be read: the end is a key away.
  await agent.press('\x1b[F', '40 + new 40\n❯ 1');
  agent.type('y');
  const asked = await agent.until('Edit src/lines.txt?');
  expect(asked).toContain('● Write new.txt (new file, 40 lines)\n  ⎿  1 + new 1\n');
  expect(asked).toContain('… 32 more lines (Ctrl-O shows them)');
  const diff = ['14   line 14', '15 - line 15', '15 + LINE 15', '16 + and more', '17   line 16'];
  expect(asked).toContain(`+2 -1\n12   line 12\n13   line 13\n${diff.join('\n')}\n`);
  await agent.press('use pnpm', '     > use pnpm▏');
  agent.type(ENTER);
  await agent.until('  ⎿ Not done: you said no, use pnpm');
  expect(project.read('src/lines.txt')).toBe(LINES);
  await agent.until((screen) => screen.includes('Edit src/lines.txt?'));
  expect(JSON.stringify(project.model.requests.at(-1)?.messages.at(-1))).toContain('use pnpm');
  agent.type('y');
  const done = await agent.until(
    (screen) => screen.includes('Some are changed.') && isIdle(screen),
  );
  expect(done).toContain('● Edit src/lines.txt (+2 -1)\n  ⎿ 12   line 12\n');
  expect(done).toContain(diff.map((row) => `    ${row}`).join('\n'));
  expect(done).toContain('⎿ Not done: the text to replace is not in the file');
  for (const [code, row] of [
    [31, '- line 15'],
    [32, '+ and more'],
  ] as const) {
    expect(agent.raw).toContain(`\x1b[${code}m${row}`);
  }
  agent.type('\x0f');
  await agent.until(() => agent.allRows().includes('    40 + new 40'));
  agent.type('\x0f');
  agent.resize(100, 60);
}

async function list(agent: Agent, project: AgentProject): Promise<void> {
  agent.type(`${LIST}${ENTER}`);
  // The SDK does not ask about a command that only reads.
  await agent.until((screen) =>
    /● Bash \$ while .* \([\dms. ]+\)\n {2}\[~\] First thing\n {2}\[ \] Second thing\n. /.test(
      screen,
    ),
  );
  project.write('listed', '');
  const done = await agent.until((screen) => screen.includes('One is done.') && isIdle(screen));
  expect(done.match(/First thing/g)).toHaveLength(1);
  expect(done).toContain('  [x] First thing\n  [ ] Second thing\n');
}

async function shell(agent: Agent, project: AgentProject): Promise<void> {
  agent.type(`${SHELL}${ENTER}`);
  const asked = await agent.until('Run this command?');
  expect(asked).toContain(`${WAIT}\n\nThe agent says: Wait\n`);
  expect(asked).toMatch(/ {2}2 {2}Yes, and do not ask again in this conversation for this command/);
  agent.type('y');
  await agent.until((screen) =>
    /● Bash \$ echo begun.* \([\dms. ]+\)\n {2}⎿ begun\n. /.test(screen),
  );
  project.write('go', '');
  const done = await agent.until((screen) => screen.includes('It failed.') && isIdle(screen));
  expect(done).toMatch(/● Bash \$ echo begun.* \([\dms. ]+, exit 3\)\n {2}⎿ begun\n {4}over\n/);

  agent.type(`${STUCK}${ENTER}`);
  const about = await agent.until('Run this command?');
  expect(about).toContain('in this conversation for this command, ":" (a)');
  agent.type('y');
  await agent.until((screen) => /● Bash \$ while :.* \([\dms. ]+\)/.test(screen));
  agent.type(ESCAPE);
  const stopped = await agent.until((screen) => screen.includes('Interrupted.') && isIdle(screen));
  expect(stopped).toMatch(
    /● Bash \$ while :; do sleep 0\.1; done \(.*interrupted\)\nInterrupted\./,
  );
}
