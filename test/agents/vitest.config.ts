import { defineConfig, type ViteUserConfig } from 'vitest/config';
import whole from '../../vitest.config.ts';

/** Real agents: minutes, and a machine that is not busy with other tests. */
const config: ViteUserConfig = defineConfig({
  test: {
    ...whole.test,
    include: ['test/agents/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One agent at a time: their programs take a core each.
    fileParallelism: false,
  },
});

export default config;
