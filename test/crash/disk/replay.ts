import { bytesOf, type Call } from '../strace/calls.ts';
import type { FileCall } from '../strace/file-calls.ts';
import { UNKNOWN_CALLS } from '../strace/strace.ts';
import { type Disk, type Entry, newFile, newFolder } from './disk.ts';
import { Paths } from './paths.ts';

/** Carries recorded calls out on a simulated disk, one at a time. */
export class Replay {
  readonly #disk: Disk;
  readonly #paths: Paths;
  readonly #positions = new Map<number, number>();

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#paths = new Paths(disk.root, folder);
  }

  carryOut(recorded: FileCall): void {
    if (recorded.result < 0) return;
    this.#refuseUnknown(recorded);
    const call = inPlainForm(recorded);
    const change = CHANGES[call.name];
    if (change !== undefined) change(this.#disk, this.#paths, call);
    else if (call.name.startsWith('open')) this.#open(call);
    else if (call.name === 'close') this.#paths.close(numberOf(call.args[0]));
    else if (call.name === 'write') this.#write(call);
    else if (call.name.endsWith('sync')) this.#sync(call);
  }

  #open(call: Call): void {
    const at = call.name === 'open' ? 0 : 1;
    const flags = call.args[at + 1] ?? '';
    const found = this.#paths.resolve(bytesOf(call.args[at]).toString(), !/O_NOFOLLOW/.test(flags));
    if (found === null) return;
    const entry = found.entry ?? newFile(createdMode(call.args[at + 2]));
    if (found.entry === null) this.#disk.changeNames([{ ...found, entry }]);
    if (/O_TRUNC/.test(flags) && entry.kind === 'file') {
      this.#disk.edit(entry, { kind: 'truncate', size: 0 });
    }
    this.#paths.opened(call.result, entry);
    this.#positions.set(call.result, 0);
  }

  #write(call: Call): void {
    const descriptor = numberOf(call.args[0]);
    const file = this.#paths.fileOf(descriptor);
    if (file === null) return;
    const offset = this.#positions.get(descriptor) ?? 0;
    this.#disk.edit(file, { kind: 'write', offset, bytes: written(call) });
    this.#positions.set(descriptor, offset + call.result);
  }

  #sync(call: Call): void {
    const entry = this.#paths.entryOf(numberOf(call.args[0]));
    if (entry !== null && entry.kind !== 'link') this.#disk.sync(entry, call.name === 'fsync');
  }

  /** A way to change files that is not modelled would make every test here meaningless. */
  #refuseUnknown({ name, args, file }: FileCall): void {
    if (file === null || !UNKNOWN_CALLS.includes(name)) return;
    const [, , protection = '', sharing = ''] = args;
    const reads = !/PROT_WRITE/.test(protection) || !/MAP_SHARED/.test(sharing);
    // SQLite's index of its log is written through memory; it is not kept anyway.
    if (name === 'mmap' && (reads || file.endsWith('-shm'))) return;
    throw new Error(`${name} on ${file} cannot be replayed`);
  }
}

// Some architectures have only the forms with a folder's descriptor; node never passes one.
const PLAIN_FORMS: Readonly<Record<string, readonly [name: string, ...args: number[]]>> = {
  renameat: ['rename', 1, 3],
  renameat2: ['rename', 1, 3],
  linkat: ['link', 1, 3],
  symlinkat: ['symlink', 0, 2],
  unlinkat: ['unlink', 1],
  mkdirat: ['mkdir', 1, 2],
  fchmodat: ['chmod', 1, 2],
};

function inPlainForm(call: FileCall): FileCall {
  const [name, ...kept] = PLAIN_FORMS[call.name] ?? [];
  if (name === undefined) return call;
  return { ...call, name, args: kept.map((index) => call.args[index] ?? '') };
}

type Change = (disk: Disk, paths: Paths, call: Call) => void;

const CHANGES: Readonly<Record<string, Change>> = {
  pwrite64: (disk, paths, call) => {
    const file = paths.fileOf(numberOf(call.args[0]));
    const offset = Number(call.args[3]);
    if (file) disk.edit(file, { kind: 'write', offset, bytes: written(call) });
  },
  ftruncate: (disk, paths, { args }) => {
    const file = paths.fileOf(numberOf(args[0]));
    if (file) disk.edit(file, { kind: 'truncate', size: Number(args[1]) });
  },
  fchmod: (disk, paths, { args }) => setMode(disk, paths.entryOf(numberOf(args[0])), args[1]),
  chmod: (disk, paths, { args }) => {
    setMode(disk, paths.resolve(textOf(args[0]), true)?.entry ?? null, args[1]);
  },
  mkdir: (disk, paths, { args }) => put(disk, paths, args[0], newFolder(createdMode(args[1]))),
  symlink: (disk, paths, { args }) => {
    put(disk, paths, args[1], { kind: 'link', target: textOf(args[0]) });
  },
  link: (disk, paths, { args }) => {
    put(disk, paths, args[1], paths.resolve(textOf(args[0]), false)?.entry ?? null);
  },
  unlink: (disk, paths, { args }) => put(disk, paths, args[0], null),
  rmdir: (disk, paths, { args }) => put(disk, paths, args[0], null),
  rename: (disk, paths, { args }) => {
    const from = paths.resolve(textOf(args[0]), false);
    const to = paths.resolve(textOf(args[1]), false);
    if (from === null || to === null) return;
    disk.changeNames([
      { ...from, entry: null },
      { ...to, entry: from.entry },
    ]);
  },
};

function put(disk: Disk, paths: Paths, path: string | undefined, entry: Entry | null): void {
  const slot = paths.resolve(textOf(path), false);
  if (slot !== null) disk.changeNames([{ ...slot, entry }]);
}

function setMode(disk: Disk, entry: Entry | null, mode: string | undefined): void {
  if (entry !== null && entry.kind !== 'link')
    disk.edit(entry, { kind: 'mode', mode: octal(mode) });
}

function written(call: Call): Buffer {
  return bytesOf(call.args[1]).subarray(0, call.result);
}

function textOf(argument: string | undefined): string {
  return bytesOf(argument).toString();
}

function createdMode(argument: string | undefined): number {
  return octal(argument) & ~process.umask();
}

function octal(argument: string | undefined): number {
  return Number.parseInt(argument ?? '0', 8);
}

/** A descriptor comes with its path behind it. */
function numberOf(argument: string | undefined): number {
  return Number.parseInt(argument ?? '', 10);
}
