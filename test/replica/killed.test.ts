import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import { DISK, makeScratch } from '../e2e/scratch.ts';
import { type Tree, treeOf } from '../e2e/tree-of.ts';
import type { Agent } from './agent.ts';
import { type AgentProject, inAgentProject, UNASKED } from './agent-project.ts';

const PROMPT = 'Rewrite everything';
const NAMES = Array.from({ length: 150 }, (_, i) => `f${i}.txt`);
/** The one file that a tool wrote, so that the SDK takes it back; the engine comes to it last. */
const OWN = 'z.txt';

function script(project: AgentProject): Script {
  const file_path = project.path(OWN);
  const command = 'for f in f*.txt; do echo new > "$f"; done; chmod 600 f0.txt';
  return {
    [PROMPT]: [
      [call('Read', { file_path })],
      [call('Write', { file_path, content: 'new\n' })],
      [call('Bash', { command, description: 'Rewrite everything' })],
      [say('I rewrote it.')],
    ],
  };
}

/** What is to be seen of a restore that is under way. */
const SIGNS: readonly ((project: AgentProject) => boolean)[] = [
  // The SDK has done its part.
  (project) => isBack(project, OWN),
  // New files lie ready.
  (project) => companions(project).length > 0,
  // The first of them is in its place.
  (project) => isBack(project, 'f0.txt'),
];

it(
  'finishes or takes back, at its next start, a restore in which it was killed',
  () =>
    inAgentProject(
      Object.fromEntries([...NAMES, OWN].map((name) => [name, 'old\n'])),
      script,
      async (project) => {
        const before = treeOf(project.root);
        let agent = await project.start();
        await agent.ask(PROMPT, 'I rewrote it.');
        const after = treeOf(project.root);
        let killsInTime = 0;
        for (const isSeen of SIGNS) {
          let wasInTime = false;
          for (let tries = 0; tries < 4 && !wasInTime; tries += 1) {
            await killDuringRewind(agent, project, isSeen);
            wasInTime = isHalfDone(treeOf(project.root), before, after);
            agent = await project.start(['--continue', ...UNASKED]);
            const outcome = treeOf(project.root)[OWN] === before[OWN] ? 'finished' : 'taken back';
            expect(treeOf(project.root)).toEqual(outcome === 'finished' ? before : after);
            if (wasInTime) await agent.until(`an interrupted rewind was ${outcome}`);
            if (outcome === 'finished') await agent.command('/undo', 'Undone');
            expect(treeOf(project.root)).toEqual(after);
          }
          if (wasInTime) killsInTime += 1;
        }
        // Some signs are to be seen for a millisecond only; that all were missed would show nothing.
        expect(killsInTime).toBeGreaterThan(0);
        // And it can still be gone through with.
        await agent.openMenu(1);
        await agent.rewind(1, 'files', `Restored to checkpoint: ${PROMPT}`);
        expect(treeOf(project.root)).toEqual(before);
        expect(await agent.leave()).toBe(0);
      },
      // In memory it would be over before anybody sees it.
      makeScratch(DISK),
    ),
  120_000,
);

/** While it is being replaced, a file may not be there at all. */
function isBack(project: AgentProject, name: string): boolean {
  try {
    return readFileSync(project.path(name), 'utf8') === 'old\n';
  } catch {
    return false;
  }
}

async function killDuringRewind(
  agent: Agent,
  project: AgentProject,
  isSeen: (project: AgentProject) => boolean,
): Promise<void> {
  await agent.openMenu(1);
  await agent.press('1', 'Rewind to: ');
  expect(isSeen(project)).toBe(false);
  agent.type('1');
  const deadline = Date.now() + 30_000;
  while (!isSeen(project)) {
    if (Date.now() > deadline) throw new Error('the restore never began');
    await setImmediate();
  }
  agent.kill('SIGKILL');
  expect(await agent.exit()).toBe(128 + 9);
}

/** Otherwise the kill came too early, or when nothing but tidying up was left to do. */
function isHalfDone(tree: Tree, before: Tree, after: Tree): boolean {
  const names = Object.entries(tree).filter(([name]) => !isCompanion(name));
  const isThere = isDeepStrictEqual(Object.fromEntries(names), before);
  return !isThere && !isDeepStrictEqual(tree, after);
}

function companions({ root }: AgentProject): string[] {
  return readdirSync(root).filter(isCompanion);
}

function isCompanion(name: string): boolean {
  return name.startsWith('.savepoint-');
}
