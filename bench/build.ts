import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
const ENTRY = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const REMEDY = 'run `npm run build`, or `npm run bench`, which does so';

/**
 * Figures are those of the compiled package, which is what people run: from the sources, Node strips
 * the types anew in each process and each worker thread. Tells what is wrong with the build, if it is.
 */
export function requireBuild(): void {
  if (!existsSync(ENTRY)) {
    process.stderr.write(`there is no build to measure: ${REMEDY}\n`);
    process.exit(1);
  }
  if (newestSource() > statSync(ENTRY).mtimeMs) {
    process.stderr.write(`the build is older than the sources: ${REMEDY}\n`);
  }
}

function newestSource(): number {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(isBuilt);
  return Math.max(...files.map((file) => statSync(join(SOURCES, file)).mtimeMs));
}

function isBuilt(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.test.ts');
}
