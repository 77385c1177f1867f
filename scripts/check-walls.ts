import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { breachesIn } from './walls.ts';

const source = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);
const breaches = files.flatMap((file) => breachesIn(file, readFileSync(source + file, 'utf8')));
for (const { file, specifier, reason } of breaches) {
  process.stderr.write(`src/${file}: ${reason} (${specifier})\n`);
}
process.exitCode = breaches.length === 0 ? 0 : 1;
