import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CAMPAIGN_LENGTHS, CAMPAIGNS } from './campaigns.ts';

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', ...CAMPAIGNS], {
  stdio: 'inherit',
  // The caller may set lengths.
  env: { SAVEPOINT_CAMPAIGNS: '1', ...CAMPAIGN_LENGTHS, ...process.env },
});
process.exitCode = status ?? 1;
