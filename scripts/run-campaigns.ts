import { spawnSync } from 'node:child_process';
import { inCheckout } from './bundle-inputs.ts';
import { CAMPAIGN_LENGTHS, CAMPAIGNS } from './campaigns.ts';

const vitest = inCheckout('node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...CAMPAIGNS], {
  stdio: 'inherit',
  // The caller may set lengths.
  env: { SAVEPOINT_CAMPAIGNS: '1', ...CAMPAIGN_LENGTHS, ...process.env },
});
process.exitCode = status ?? 1;
