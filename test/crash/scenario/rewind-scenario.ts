import {
  chmodSync,
  mkdirSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '../../../src/index.ts';
import { SESSION, type Step } from '../child/steps.ts';
import { makePlace, openPlace, type Place } from './place.ts';
import { type Tree, treeOf } from './tree.ts';

/** A project that waits for a rewind which does every kind of thing a rewind can do. */
export interface RewindScenario {
  readonly template: Place;
  /** The checkpoint to rewind to. */
  readonly target: string;
  /** The checkpoints before the rewind, which no crash may lose. */
  readonly checkpoints: readonly string[];
  /** The project as it is before the rewind, and as it must be after it. */
  readonly before: Tree;
  readonly after: Tree;
}

const LINES = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`);
// Past 256 KiB, so that the store keeps it in a file of its own.
const LARGE = Buffer.alloc(300 * 1024, 'a large file of the person\n');
const LARGE_BY_AGENT = Buffer.alloc(280 * 1024, 'what the agent made of it\n');

/** Builds the project, lets the agent and the person work in it, and says what must come out. */
export async function makeRewindScenario(folder: string): Promise<RewindScenario> {
  // What must come out is written down by hand: the person's own files with the person's own edit.
  const expected = makePlace(join(folder, 'expected'));
  writeProject(expected.project);
  writeFileSync(join(expected.project, 'notes.txt'), notes({ person: true, agent: false }));
  const template = makePlace(join(folder, 'template'));
  writeProject(template.project);
  const savepoint = await openPlace(template);
  const target = await agentWorks(savepoint);
  const checkpoints = (await savepoint.list()).map(({ id }) => id as string);
  await savepoint.close();
  writeFileSync(join(template.project, 'notes.txt'), notes({ person: true, agent: true }));
  const before = treeOf(template.project);
  return { template, target, checkpoints, before, after: treeOf(expected.project) };
}

/** Opens the savepoint, and does and closes the rest only when a tracer is there. */
export function rewindSteps({ target }: RewindScenario): readonly Step[] {
  return [{ do: 'open' }, { do: 'ready' }, { do: 'rewind', to: target }, { do: 'close' }];
}

/** The same, with a failure so late that nearly everything is done and has to be taken back. */
export function failingRewindSteps(scenario: RewindScenario): readonly Step[] {
  const [open, ready, ...rest] = rewindSteps(scenario);
  const sabotage: Step = { do: 'sabotage', name: '/to-folder$' };
  return [open, sabotage, ready, ...rest].filter((step) => step !== undefined);
}

/** A new start, all of it under the tracer: it finishes what an earlier process left. */
export const RECOVERY_STEPS: readonly Step[] = [{ do: 'ready' }, { do: 'open' }, { do: 'close' }];

/** The person's project. */
function writeProject(root: string): void {
  const put = (path: string, content: string | Uint8Array, mode = 0o644): void => {
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  for (const name of ['src', 'docs', 'shared', 'to-file']) makeFolder(join(root, name), 0o755);
  put('src/app.ts', 'export const answer = 42;\n');
  put('src/large.bin', LARGE);
  put('src/read-only.txt', 'nobody writes here\n', 0o444);
  put('notes.txt', notes({ person: false, agent: false }));
  put('run.sh', '#!/bin/sh\n', 0o755);
  put('docs/old.md', '# deleted by the agent, with its folder\n', 0o600);
  put('empty.txt', '');
  put('to-folder', 'a file that the agent replaces by a folder\n');
  put('to-file/inside.txt', 'in a folder that the agent replaces by a file\n');
  symlinkSync('src/app.ts', join(root, 'link'));
  put('untouched.txt', 'nothing to do with it\n');
}

/** Two messages of the agent. Returns the checkpoint before the first. */
async function agentWorks(savepoint: Savepoint): Promise<string> {
  const at = (path: string): string => join(savepoint.root, path);
  const target = await tool(
    savepoint,
    'first',
    ['src/app.ts', 'src/large.bin', 'notes.txt'],
    () => {
      writeFileSync(at('src/app.ts'), 'export const answer = 41;\nexport const more = true;\n');
      writeFileSync(at('src/large.bin'), LARGE_BY_AGENT);
      writeFileSync(at('notes.txt'), notes({ person: false, agent: true }));
    },
  );
  await tool(savepoint, 'first', ['made/by/agent/new.ts', 'made/by/locked/kept.txt'], () => {
    for (const name of ['made', 'made/by', 'made/by/agent']) makeFolder(at(name), 0o755);
    writeFileSync(at('made/by/agent/new.ts'), 'export {};\n');
    makeFolder(at('made/by/locked'), 0o755);
    writeFileSync(at('made/by/locked/kept.txt'), 'in a folder that lets nobody write\n');
    chmodSync(at('made/by/locked'), 0o555);
  });
  await tool(savepoint, 'second', ['docs', 'run.sh', 'shared', 'link', 'empty.txt'], () => {
    rmSync(at('docs'), { recursive: true });
    chmodSync(at('run.sh'), 0o644);
    chmodSync(at('shared'), 0o700);
    unlinkSync(at('link'));
    symlinkSync('notes.txt', at('link'));
    writeFileSync(at('empty.txt'), 'no longer\n');
  });
  await tool(savepoint, 'second', ['to-folder', 'to-file', 'src/read-only.txt'], () => {
    unlinkSync(at('to-folder'));
    makeFolder(at('to-folder'), 0o755);
    writeFileSync(at('to-folder/new.txt'), 'now a folder\n');
    unlinkSync(at('to-file/inside.txt'));
    rmdirSync(at('to-file'));
    writeFileSync(at('to-file'), 'now a file\n');
    chmodSync(at('src/read-only.txt'), 0o644);
    writeFileSync(at('src/read-only.txt'), 'somebody did\n');
    chmodSync(at('src/read-only.txt'), 0o444);
  });
  return target;
}

async function tool(
  savepoint: Savepoint,
  messageId: string,
  paths: readonly string[],
  work: () => void,
): Promise<string> {
  const capture = await savepoint.captureBefore({ sessionId: SESSION, messageId, paths });
  work();
  await savepoint.captureAfter(capture);
  return capture.checkpointId;
}

/** The agent edits the second line, the person the eleventh. */
function notes(edited: { person: boolean; agent: boolean }): string {
  const lines = [...LINES];
  if (edited.agent) lines[1] = 'line 2, by the agent\n';
  if (edited.person) lines[10] = 'line 11, by the person\n';
  return lines.join('');
}

function makeFolder(path: string, mode: number): void {
  mkdirSync(path);
  chmodSync(path, mode);
}
