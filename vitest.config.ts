import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Long campaigns (crash, property) set their own, longer limits.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // As in bin/savepoint.cjs: a process of tests must end, too.
    execArgv: ['--no-concurrent-sparkplug'],
    // By default one core is left idle, and with two cores that is half of them.
    maxWorkers: '100%',
  },
});

export default config;
