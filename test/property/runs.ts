import { numberFrom } from '../crash/campaign.ts';

/** The same for everybody who runs the tests; campaigns choose other seeds. */
const DEFAULT_SEED = 20_261_115;
const DEFAULT_RUNS = 80;

/**
 * How many random cases a property is tried on, and where they begin. SAVEPOINT_PROPERTY_RUNS says how many
 * sequences of commands are played in all (`npm run test:campaigns` plays 2,000), and other properties take a
 * share of that: one that starts git each time has less time than one that only computes.
 */
export function propertyRuns(share: number): { readonly numRuns: number; readonly seed?: number } {
  const { SAVEPOINT_PROPERTY_SEED: seed } = process.env;
  return {
    numRuns: Math.ceil(numberFrom('SAVEPOINT_PROPERTY_RUNS', DEFAULT_RUNS) * share),
    ...(seed === 'random' ? {} : { seed: Number(seed ?? DEFAULT_SEED) }),
  };
}
