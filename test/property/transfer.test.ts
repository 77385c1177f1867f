import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RewindPlan } from '../../src/index.ts';
import { postgresStore } from '../../src/store/postgres/index.ts';
import { type Bed, makeBed } from '../e2e/engine-bed.ts';
import { exportOf, importOf } from '../e2e/transfer.ts';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { propertyRuns } from './runs.ts';

type Step =
  | { readonly do: 'write' | 'delete' | 'chmod'; readonly who: string; readonly path: string }
  | { readonly do: 'rewind'; readonly back: number }
  | { readonly do: 'undo' };

const path = fc.constantFrom('a', 'b', 'dir/c', 'dir/d');
const who = fc.constantFrom('agent', 'agent', 'other', 'person');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), who, path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), who, path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('chmod' as const), who, path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rewind' as const), back: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'undo' as const }) },
);

describe('an imported session', () => {
  it('is rewound elsewhere as it would be where it comes from', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const [here, there] = [await makeBed(), await makeBed()];
        try {
          await play(here, steps);
          await expectSamePlans(here, there);
        } finally {
          await here.remove();
          await there.remove();
        }
      }),
      propertyRuns(0.1),
    );
  });
});

describe('a session that another machine takes over in parts', () => {
  it('is rewound there as it would be where it comes from', async () => {
    const url = await sharedPostgres();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 12 }),
        fc.nat(12),
        fc.nat(12),
        async (steps, ...cuts) => {
          const project = randomUUID();
          const store = (directory: string) => postgresStore({ url, project, directory });
          const [here, there] = [await makeBed({ store }), await makeBed({ store })];
          try {
            const [first, second] = cuts.sort((a, b) => a - b) as [number, number];
            for (const [from, to] of [
              [0, first],
              [first, second],
              [second, steps.length],
            ]) {
              await play(here, steps.slice(0, to), from);
              if (!(await hasSession(here))) continue;
              await there.savepoint.takeover({ sessionId: 'agent' });
            }
            cpSync(here.root, there.root, { recursive: true });
            if (await hasSession(here)) await comparePlans(here, there);
          } finally {
            await here.remove();
            await there.remove();
          }
        },
      ),
      propertyRuns(0.03),
    );
  });
});

async function hasSession({ savepoint }: Bed): Promise<boolean> {
  return (await savepoint.sessions()).some(({ id }) => id === 'agent');
}

async function expectSamePlans(here: Bed, there: Bed): Promise<void> {
  if (!(await hasSession(here))) return;
  const { bytes } = await exportOf(here.savepoint, { sessionId: 'agent' });
  cpSync(here.root, there.root, { recursive: true });
  await importOf(there.savepoint, bytes);
  await comparePlans(here, there);
}

async function comparePlans(here: Bed, there: Bed): Promise<void> {
  for (const { id, messageId } of await here.savepoint.list({ sessionIds: ['agent'] })) {
    for (const take of ['since', 'message'] as const) {
      const [one, other] = [
        await here.savepoint.planRewind({ to: id, take }),
        await there.savepoint.planRewind({ to: id, take }),
      ];
      expect(linesOf(other), `${take} ${messageId}`).toEqual(linesOf(one));
    }
  }
}

/** What would be done; which numbers it takes back is each timeline's own business. */
function linesOf({ lines }: RewindPlan): unknown[] {
  return lines.map(({ takes: _takes, ...line }) => line);
}

async function play(bed: Bed, steps: readonly Step[], from = 0): Promise<void> {
  if (from === 0) for (const name of ['a', 'b', 'dir/c']) bed.put(name, linesWith(name, 0));
  for (const [at, one] of steps.entries()) {
    if (at < from) continue;
    if (one.do === 'rewind') await rewind(bed, one.back);
    else if (one.do === 'undo') await bed.savepoint.undo().catch(() => undefined);
    else await work(bed, one, at);
  }
}

async function work(bed: Bed, one: Extract<Step, { path: string }>, at: number): Promise<void> {
  const act = (): void => {
    if (one.do === 'delete') rmSync(bed.at(one.path), { force: true });
    else bed.put(one.path, linesWith(one.path, at), one.do === 'chmod' ? 0o600 : undefined);
  };
  if (one.who === 'person') act();
  else await bed.tool(`m${at}`, [one.path], act, { sessionId: one.who });
}

async function rewind(bed: Bed, back: number): Promise<void> {
  const checkpoints = await bed.savepoint.list();
  const chosen = checkpoints[Math.min(back, checkpoints.length - 1)];
  if (chosen !== undefined) await bed.savepoint.rewind({ to: chosen.id });
}

/** Ten lines, one of which each step makes its own, so that some can be merged. */
function linesWith(name: string, at: number): string {
  const lines = Array.from({ length: 10 }, (_, line) => `${name} ${line}`);
  lines[(at * 3) % 10] = `${name} step ${at}`;
  return `${lines.join('\n')}\n`;
}
