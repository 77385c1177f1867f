import fc from 'fast-check';
import { type Command, type Mix, sequences } from './commands.ts';
import { runSequence } from './run-sequence.ts';
import { propertyRuns } from './runs.ts';
import type { StoreKind, World } from './world.ts';

/** How many files share the sequences without scans between them; those with scans come on top. */
const FILES = 4;

/** Shrinking takes its time, and a failure that is not shrunk says little. */
export const CAMPAIGN_TIMEOUT_MS = 3_600_000;

const ON_THIS_MACHINE: readonly StoreKind[] = ['sqlite', 'sqlite', 'sqlite', 'memory'];

export interface PlayOptions {
  /** Which part of the sequences is played here. */
  readonly share?: number;
  /** The stores that they are played on, each as often as it is named. */
  readonly stores?: readonly StoreKind[];
  /** Sets the scene, before the project is opened. */
  readonly prepare?: (world: World) => void;
}

/**
 * Plays this file's share of the sequences. SAVEPOINT_PROPERTY_SEED, with SAVEPOINT_PROPERTY_PATH if
 * wanted, repeats a failure, and "random" looks for a new one.
 */
export async function playSequences(
  mix: Mix,
  { share = 1 / FILES, stores = ON_THIS_MACHINE, prepare }: PlayOptions = {},
): Promise<void> {
  const path = process.env.SAVEPOINT_PROPERTY_PATH;
  const kinds = fc.constantFrom<StoreKind>(...stores);
  const property = fc.asyncProperty(kinds, sequences(mix), (store, commands) =>
    runSequence(store, commands, prepare),
  );
  await fc.assert(property, {
    ...propertyRuns(share),
    unbiased: true,
    ...(path === undefined ? {} : { path }),
    reporter: report,
  });
}

/** The steps in words say more than the numbers they came from. */
function report(details: fc.RunDetails<[StoreKind, Command[]]>): void {
  if (!details.failed) return;
  const { seed, counterexamplePath, numRuns, numShrinks, counterexample, errorInstance } = details;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const again = `SAVEPOINT_PROPERTY_SEED=${seed} SAVEPOINT_PROPERTY_PATH=${counterexamplePath}`;
  throw new Error(
    `sequence ${numRuns} failed (${counterexample?.[0]} store, ${numShrinks} times shortened).\n` +
      `Repeat it with ${again}\n${reason}`,
    { cause: errorInstance instanceof Error ? errorInstance.cause : errorInstance },
  );
}
