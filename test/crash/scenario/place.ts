import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSavepoint, type Savepoint, storeDirectory } from '../../../src/index.ts';
import { copyTree, removeTree } from './tree.ts';

/** A project and the folder of its store, side by side in a folder of their own. */
export interface Place {
  readonly folder: string;
  readonly project: string;
  readonly home: string;
}

export function makeScratch(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-crash-')));
}

export function placeIn(folder: string): Place {
  return { folder, project: join(folder, 'project'), home: join(folder, 'home') };
}

export function makePlace(folder: string): Place {
  const place = placeIn(folder);
  mkdirSync(place.project, { recursive: true });
  return place;
}

/** A copy to be destroyed. The store is found by the project's path, so its folder gets a new name. */
export function copyPlace(from: Place, folder: string): Place {
  copyTree(from.folder, folder);
  const place = placeIn(folder);
  settleStore(place);
  return place;
}

/** Gives the one store below `home` the name that belongs to the project's path. */
export function settleStore({ project, home }: Place): void {
  const stores = join(home, 'projects');
  const [name] = existsSync(stores) ? readdirSync(stores) : [];
  if (name !== undefined) renameSync(join(stores, name), storeDirectory(home, project));
}

export function openPlace({ project, home }: Place): Promise<Savepoint> {
  return openSavepoint({ project, home, adopt: true });
}

export function storeOf({ project, home }: Place): string {
  return storeDirectory(home, project);
}

/** Runs `body` in a folder of its own below `scratch`, which is removed whatever happens. */
export async function withFolder<T>(
  scratch: string,
  body: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(scratch, 'run-'));
  try {
    return await body(folder);
  } finally {
    removeTree(folder);
  }
}
