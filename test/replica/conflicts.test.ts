import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import { type Agent, ESCAPE } from './agent.ts';
import { type AgentProject, inAgentProject } from './agent-project.ts';

const PROMPT = 'Put AGENT into every file';
const FILES = ['a.txt', 'b.txt', 'c.txt', 'd.txt'] as const;
const BEFORE = 'one\ntwo\nthree\n';
const MINE = 'one\nMINE\x1b[2J\nthree\n';

function script(project: AgentProject): Script {
  const put = (name: string) =>
    call('Write', { file_path: project.path(name), content: BEFORE.replace('two', 'AGENT') });
  const read = (name: string) => call('Read', { file_path: project.path(name) });
  return { [PROMPT]: [FILES.map(read), FILES.map(put), [say('It is in all of them.')]] };
}

it('lets a person decide about each conflict of a rewind, and /undo brings all of it back', () => {
  const before = Object.fromEntries(FILES.map((name) => [name, BEFORE]));
  return inAgentProject(before, script, async (project) => {
    const agent = await project.start(undefined, { env: { EDITOR: editorOf(project) } });
    await agent.ask(PROMPT, 'It is in all of them.');
    for (const name of FILES) project.write(name, MINE);
    const edits = FILES.map((name) => project.read(name));

    await agent.openMenu(1);
    await agent.press('1', '4  conflicts: decide about each file (4 files left)');
    expect(agent.screen()).toContain('In conflict, left as you have it:');

    // Mine, the rewind's, a merge that is finished, and one with a marker left in it.
    const asked = await agent.press('4', 'Conflict (1 of 4) in a.txt');
    expect(asked).toContain('a.txt, line 2');
    expect(asked).toContain('0 or Esc passes it over');
    expect(asked).toMatch(/yours:\n +\+MINE\\x1b\[2J\n +the rewind's:\n +-two/);
    await agent.press('1', 'Conflict (2 of 4) in b.txt');
    await agent.press('2', 'Conflict (3 of 4) in c.txt');
    await agent.press('3', 'Conflict (4 of 4) in d.txt');
    const left = await agent.press('3', 'conflicts: decide about each file (1 file left)');
    expect(left).toContain('d.txt is left as it is: there are still markers in the merge.');
    expect(left).toMatch(/keep +a\.txt +stays as you asked/);
    expect(left).toMatch(/restore +b\.txt/);
    expect(left).toMatch(/merge +c\.txt/);
    expect(left).toMatch(/conflict +d\.txt/);
    // Nothing is touched before the person says so.
    expect(FILES.map((name) => project.read(name))).toEqual(edits);

    await agent.press(
      '1',
      'restored b.txt, merged c.txt; 1 conflict is left as you have it; /undo',
    );
    const merged = 'one\nMINE\x1b[2J\ntwo\nthree\n';
    expect(FILES.map((name) => project.read(name))).toEqual([MINE, BEFORE, merged, MINE]);
    await agent.command('/undo', 'Undone; /redo does it again.');
    expect(FILES.map((name) => project.read(name))).toEqual(edits);

    await refusesWhatIsStale(agent, project);
    expect(await agent.leave()).toBe(0);
  });
});

/** A file that changes after the decision is not touched: the person is asked again. */
async function refusesWhatIsStale(agent: Agent, project: AgentProject): Promise<void> {
  await agent.openMenu(1);
  await agent.press('1', '(4 files left)');
  await agent.press('4', 'Conflict (1 of 4) in a.txt');
  await agent.press('2', 'Conflict (2 of 4) in b.txt');
  project.write('a.txt', 'newer\n');
  await agent.press(ESCAPE, 'Conflict (3 of 4)');
  await agent.press(ESCAPE, 'Conflict (4 of 4)');
  await agent.press(ESCAPE, 'A file changed since you decided about it. Decide again.');
  await agent.until('(4 files left)');
  await agent.press(ESCAPE, (screen) => !screen.includes('files left'));
  expect(project.read('a.txt')).toBe('newer\n');
}

/** Takes the lines of both sides, and leaves one marker in d.txt. */
function editorOf(project: AgentProject): string {
  const file = join(project.scratch, 'editor.sh');
  const all = `sed -i -e '/^<<<<<<< /d' -e '/^=======$/d'`;
  writeFileSync(
    file,
    `#!/bin/sh\n${all} "$1"\ncase $1 in */d.txt) ;; *) sed -i '/^>>>>>>> /d' "$1" ;; esac\n`,
  );
  chmodSync(file, 0o755);
  return file;
}
