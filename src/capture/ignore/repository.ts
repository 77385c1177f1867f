import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundRepository, findRepository } from '../git/find-repository.ts';

/**
 * The repository whose rules count for a project. Rules of somebody else, in a folder above that others
 * may write to, could keep our files out of scope: git does not trust such a repository either.
 */
export function ruledBy(root: string): FoundRepository | null {
  const found = findRepository(root);
  return found !== null && (found.top === root || isOurs(found.top)) ? found : null;
}

function isOurs(top: string): boolean {
  const user = process.geteuid?.();
  const places = [top, join(top, '.git')];
  return user === undefined || places.every((place) => lstatSync(place).uid === user);
}
