import { fileURLToPath } from 'node:url';
import { readFile } from '../fs/read-file.ts';

/** The version of this package. */
export function ownVersion(): string {
  // The same place seen from src/cli and from dist/cli.
  const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));
  const { bytes } = readFile(manifest, { followLink: true });
  return (JSON.parse(String(bytes)) as { version: string }).version;
}
