import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Checkpoint,
  type Receipt,
  RUN_AGENT,
  type Savepoint,
  type ScanReport,
} from '../../src/index.ts';
import { changedPaths, command, message } from './agent-work.ts';
import { type Picture, pictureOf } from './picture.ts';
import { ShellProject } from './shell-project.ts';

/** A command that an agent runs, to be taken back. */
export interface Scenario {
  /** Ends the sentence "takes back …". */
  readonly name: string;
  readonly script: string;
  /** Adds to the planted tree before the checkpoint. */
  readonly extra?: string;
  /** `only`: a git command. `never`: git would be in the way. */
  readonly git?: 'only' | 'never';
  /** The paths that must be on record as changed; left out, only that there are some counts. */
  readonly changed?: readonly string[];
}

const PLACES = [
  { place: 'in a folder without git', git: false, never: 'only' },
  { place: 'in a clean git worktree', git: true, never: 'never' },
] as const;

/** Shows for each scenario that rewind, undo, redo and materialize give the trees byte for byte. */
export function takesBack(scenarios: readonly Scenario[]): void {
  for (const { place, git, never } of PLACES) {
    const here = scenarios.filter((scenario) => scenario.git !== never);
    if (here.length === 0) continue;
    describe(place, () => {
      let project: ShellProject;
      afterEach(() => project.remove());
      for (const scenario of here) {
        it(titleOf(scenario), async () => {
          project = new ShellProject({ git, extra: scenario.extra ?? '' });
          await showAll(project, git, scenario);
        });
      }
      it('takes back all of them, run after run, to each of the runs and forth again', async () => {
        project = new ShellProject({
          git,
          extra: [...new Set(here.map(({ extra = '' }) => extra))].join('\n'),
        });
        await showAsRuns(project, here);
      });
    });
  }
}

function titleOf({ name, changed }: Scenario): string {
  return changed?.length === 0 ? `has nothing to take back of ${name}` : `takes back ${name}`;
}

async function showAll(project: ShellProject, git: boolean, scenario: Scenario): Promise<void> {
  const savepoint = await project.open();
  const checkpoint = await message(savepoint);
  // Otherwise the scenario would not show what it says: that the baseline is git's.
  const held = (await savepoint.status()).worktree?.fromGit ?? 0;
  expect(held > 5).toBe(git);
  const before = project.picture();
  const report = await command(savepoint, () => project.sh(scenario.script));
  expectRecord(report, scenario);
  const after = project.picture();
  const untouchable = project.untouchable();
  const expectTree = async (receipt: Receipt, picture: Picture): Promise<void> => {
    expect(receipt).toMatchObject({ success: true, conflicts: [], skipped: [], errors: [] });
    expect(project.picture()).toEqual(picture);
    expect(project.untouchable()).toEqual(untouchable);
    // What a restore does is on record: a scan finds nothing more.
    expect((await savepoint.scan()).changes).toEqual([]);
  };
  await expectTree(await savepoint.rewind({ to: checkpoint.id }), before);
  if (report.changes.length > 0) {
    await expectTree(await savepoint.undo(), after);
    await expectTree(await savepoint.redo(), before);
  }
  await expectWritten(savepoint, checkpoint, join(project.scratch, 'written'), before);
}

/** Plays the scripts as runs of one project. A script may fail, because those before it changed the tree. */
async function showAsRuns(project: ShellProject, scenarios: readonly Scenario[]): Promise<void> {
  const savepoint = await project.open();
  const stops: { readonly id: string; readonly picture: Picture }[] = [];
  for (const [at, { script }] of scenarios.entries()) {
    const picture = project.picture();
    const sessionId = `run-${at}`;
    const run = { sessionId, messageId: sessionId, agent: RUN_AGENT, isRun: true };
    const window = await savepoint.openWindow(run);
    project.failing(script);
    expect(await savepoint.closeWindow(window.id)).toMatchObject({ coverage: 'scanned' });
    stops.push({ id: window.checkpointId, picture });
  }
  const last = project.picture();
  for (const { id, picture } of stops) {
    const receipt = await savepoint.rewind({ to: id });
    expect(receipt).toMatchObject({ success: true, conflicts: [], skipped: [], errors: [] });
    expect(project.picture()).toEqual(picture);
    if (receipt.operationId !== null) await savepoint.undo();
    expect(project.picture()).toEqual(last);
  }
}

function expectRecord(report: ScanReport, { changed }: Scenario): void {
  expect(report).toMatchObject({ coverage: 'scanned', unrecorded: [] });
  if (changed === undefined) expect(report.changes).not.toEqual([]);
  else expect(changedPaths(report)).toEqual([...changed].sort());
  for (const change of report.changes) {
    expect(change).toMatchObject({
      origin: 'shell',
      attribution: 'inferred',
      sessionId: 'agent',
    });
  }
}

async function expectWritten(
  savepoint: Savepoint,
  checkpoint: Checkpoint,
  folder: string,
  picture: Picture,
): Promise<void> {
  const written = await savepoint.materialize(checkpoint.id, folder);
  expect(written.skipped).toEqual([]);
  expect(pictureOf(folder)).toEqual(picture);
}
