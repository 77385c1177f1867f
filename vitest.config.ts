import { existsSync, statfsSync } from 'node:fs';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import { CAMPAIGNS_ONLY } from './scripts/campaigns.ts';

/** In memory a sync takes no time, and most tests wait for many. */
const MEMORY = '/dev/shm';
const NEEDED_BYTES = 2 ** 30;

function memoryHasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > NEEDED_BYTES;
}

const isCampaign = process.env.SAVEPOINT_CAMPAIGNS !== undefined;

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Real agents have their own command: `npm run test:agents`.
    exclude: [...configDefaults.exclude, 'test/agents/**', ...(isCampaign ? [] : CAMPAIGNS_ONLY)],
    globalSetup: 'test/setup/build-programs.ts',
    testTimeout: isCampaign ? 3_600_000 : 60_000,
    hookTimeout: isCampaign ? 3_600_000 : 60_000,
    // What appears in a browser beside many busy processes.
    expect: { poll: { timeout: 15_000 } },
    env: memoryHasRoom() ? { TMPDIR: MEMORY } : {},
    pool: 'forks',
    // Loading the engine takes longer than most files take to run: two processes run all of them.
    isolate: false,
    // The first as in bin/savepoint.cjs. The second: worker threads that run TypeScript strip its types in
    // WebAssembly, and V8 can abort when several of them compile the same calls out of it.
    execArgv: ['--no-concurrent-sparkplug', '--wasm-wrapper-tiering-budget=1000000000'],
    // By default one core is left idle, and with two cores that is half of them.
    maxWorkers: '100%',
  },
});

export default config;
