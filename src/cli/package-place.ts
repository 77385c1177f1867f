import { fileURLToPath } from 'node:url';
import { readFile } from '../fs/read-file.ts';

/** A file of the package that this command is part of. The same place seen from src/cli and from dist/cli. */
export function inPackage(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

export function ownVersion(): string {
  const { bytes } = readFile(inPackage('package.json'), { followLink: true });
  return (JSON.parse(String(bytes)) as { version: string }).version;
}
