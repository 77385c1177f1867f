import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inCheckout } from './bundle-inputs.ts';
import { CAMPAIGN_LENGTHS, CAMPAIGNS } from './campaigns.ts';

// Vitest would pass over a file that was moved without a word.
const missing = CAMPAIGNS.filter((file) => !existsSync(inCheckout(file)));
if (missing.length > 0) throw new Error(`these campaigns are not there: ${missing.join(', ')}`);

const vitest = inCheckout('node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...CAMPAIGNS], {
  stdio: 'inherit',
  // The caller may set lengths.
  env: { SAVEPOINT_CAMPAIGNS: '1', ...CAMPAIGN_LENGTHS, ...process.env },
});
process.exitCode = status ?? 1;
