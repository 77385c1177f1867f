import { parseArgs } from 'node:util';
import { requireBuild } from './build.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // Ends with 1 when a bar is missed.
  options: { check: { type: 'boolean', default: false } },
});
requireBuild();
// Only now, because it imports the build.
const { measureAll } = await import('./measure-all.ts');
const isMet = await measureAll(positionals);
if (values.check && !isMet) process.exitCode = 1;
