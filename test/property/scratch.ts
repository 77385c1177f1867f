import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makeScratch(): string {
  return mkdtempSync(join(tmpdir(), 'savepoint-property-'));
}
