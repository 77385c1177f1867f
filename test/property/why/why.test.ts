import fc from 'fast-check';
import { expect, it } from 'vitest';
import { numberFrom } from '../../crash/campaign.ts';
import { propertyRuns } from '../runs.ts';
import type { Edit } from './edit.ts';
import { PATHS, type Rewind, World } from './world.ts';

const HISTORIES = numberFrom('SAVEPOINT_WHY_HISTORIES', 20);
const TIMEOUT_MS = 3_600_000;

const PATH = fc.constantFrom(...PATHS);
const SESSION = fc.constantFrom('codex', 'claude');
const NUMBER = fc.nat(1000);
const EDIT: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom<Edit['kind'][]>(
    ...(['insert', 'insert', 'insert', 'remove', 'replace', 'replace'] as const),
    ...(['move', 'copy', 'rewrite', 'delete', 'end'] as const),
  ),
  at: NUMBER,
  count: fc.integer({ min: 1, max: 3 }),
  common: fc.array(fc.nat(8), { minLength: 3, maxLength: 3 }),
});

const REWIND: fc.Arbitrary<Rewind> = fc.record({
  pick: NUMBER,
  take: fc.constantFrom<Rewind['take'][]>('since', 'since', 'message', 'exact'),
  restore: fc.boolean(),
  hunks: fc.boolean(),
});
const RENAME = fc.tuple(PATH, PATH, fc.option(EDIT));
const EDITS = fc.array(fc.tuple(PATH, EDIT), { minLength: 1, maxLength: 3 });

type Step = (world: World) => unknown;

function steps<T>(weight: number, of: fc.Arbitrary<T>, step: (value: T) => Step) {
  return { weight, arbitrary: of.map(step) };
}

const STEP: fc.Arbitrary<Step> = fc.oneof(
  steps(
    8,
    fc.tuple(SESSION, PATH, EDIT),
    ([session, path, edit]) =>
      (world) =>
        world.tool(session, [path], () => world.edit(path, edit)),
  ),
  steps(
    2,
    fc.tuple(SESSION, RENAME),
    ([session, [from, to, edit]]) =>
      (world) =>
        world.tool(session, [...new Set([from, to])], () => world.rename(from, to, edit)),
  ),
  steps(
    4,
    fc.tuple(SESSION, EDITS),
    ([session, edits]) =>
      (world) =>
        world.command(session, () => {
          for (const [path, edit] of edits) world.edit(path, edit);
        }),
  ),
  steps(
    3,
    fc.tuple(SESSION, RENAME),
    ([session, rename]) =>
      (world) =>
        world.command(session, () => world.rename(...rename)),
  ),
  // A person.
  steps(
    6,
    fc.tuple(PATH, EDIT),
    ([path, edit]) =>
      (world) =>
        world.edit(path, edit),
  ),
  steps(2, RENAME, (rename) => (world) => world.rename(...rename)),
  steps(2, fc.constant(null), () => (world) => world.scan()),
  steps(3, SESSION, (session) => (world) => world.message(session)),
  steps(1, fc.constant(null), () => (world) => world.mark()),
  steps(5, REWIND, (rewind) => (world) => world.rewind(rewind)),
  steps(2, fc.boolean(), (restore) => (world) => world.takeBack('undo', restore)),
  steps(1, fc.boolean(), (restore) => (world) => world.takeBack('redo', restore)),
  steps(2, fc.constant(null), () => (world) => world.check()),
);

it(
  `gives every line to somebody who can have written it, in ${HISTORIES} random histories`,
  async () => {
    let lines = 0;
    const history = fc.array(STEP, { minLength: 10, maxLength: 45, size: 'max' });
    const property = fc.asyncProperty(history, async (played) => {
      const world = await World.make();
      try {
        for (const step of played) await step(world);
        lines += await world.check();
      } finally {
        await world.remove();
      }
    });
    await fc.assert(property, {
      ...propertyRuns(1),
      numRuns: HISTORIES,
      includeErrorInReport: true,
    });
    expect(lines).toBeGreaterThan(HISTORIES);
  },
  TIMEOUT_MS,
);
