import type { TestRunner } from '../../src/testing/index.ts';

const EVERY = 6;

/** In `npm test` the first rule of each part and every sixth after it; in the campaigns all of them. */
export function sampled(runner: TestRunner): TestRunner {
  const every = process.env.SAVEPOINT_CAMPAIGNS === undefined ? EVERY : 1;
  let count = 0;
  return {
    describe: (name, body) =>
      runner.describe(name, () => {
        count = 0;
        body();
      }),
    it: (name, body) => {
      if (count % every === 0) runner.it(name, body);
      count += 1;
    },
  };
}
