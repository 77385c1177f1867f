import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Disk, type Entry, type Folder, newFile, newFolder } from './disk.ts';
import type { RemainingEntry, Remains } from './power-cut.ts';

/** The simulated disk with what is in a real folder now, all of it certain. */
export function diskFrom(folder: string): Disk {
  const disk = new Disk();
  fill(disk, disk.root, folder);
  disk.settleAll();
  return disk;
}

/** Writes what a power cut left into a real folder, to be opened there. */
export function materialise(remains: Remains, folder: string): void {
  const places = new Map<RemainingEntry, string>();
  write(remains, folder, places);
}

function fill(disk: Disk, into: Folder, folder: string): void {
  for (const name of readdirSync(folder)) {
    const entry = entryAt(join(folder, name));
    disk.changeNames([{ folder: into, name, entry }]);
    if (entry.kind === 'folder') fill(disk, entry, join(folder, name));
  }
}

function entryAt(path: string): Entry {
  const stats = lstatSync(path);
  const mode = stats.mode & 0o7777;
  if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) };
  return stats.isDirectory() ? newFolder(mode) : newFile(mode, readFileSync(path));
}

function write(folder: Remains, at: string, places: Map<RemainingEntry, string>): void {
  mkdirSync(at, { recursive: true });
  for (const [name, entry] of folder.entries) {
    // SQLite's index of its log is memory; the next process makes it anew.
    if (name.endsWith('-shm')) continue;
    const path = join(at, name);
    const twin = places.get(entry);
    if (entry.kind === 'folder') write(entry, path, places);
    else if (entry.kind === 'link') symlinkSync(entry.target, path);
    else if (twin !== undefined) linkSync(twin, path);
    else writeFileSync(path, entry.bytes, { mode: entry.mode });
    places.set(entry, path);
    if (entry.kind !== 'link') chmodSync(path, entry.mode);
  }
}
