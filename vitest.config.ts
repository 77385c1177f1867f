import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Long campaigns (crash, property) set their own, longer limits.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});

export default config;
