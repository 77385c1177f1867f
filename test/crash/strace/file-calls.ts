import { bytesOf, type Call } from './calls.ts';

/** A call with the file that it is about, as a path below the place; null when it is elsewhere. */
export interface FileCall extends Call {
  readonly file: string | null;
}

// Which argument holds the path; for a link or a rename, that of the new name.
const PATH_ARGUMENT: Readonly<Record<string, number>> = {
  open: 0,
  openat: 1,
  creat: 0,
  truncate: 0,
  fchmodat2: 1,
  rename: 1,
  renameat: 3,
  renameat2: 3,
  link: 1,
  linkat: 3,
  symlink: 1,
  symlinkat: 2,
  unlink: 0,
  unlinkat: 1,
  mkdir: 0,
  mkdirat: 1,
  rmdir: 0,
  chmod: 0,
  fchmodat: 1,
  stat: 0,
  lstat: 0,
  newfstatat: 1,
  statx: 1,
  readlink: 0,
  readlinkat: 1,
};

/** Finds out which file each call is about. Descriptors come with their path (strace -y). */
export function nameFiles(calls: readonly Call[], folder: string): FileCall[] {
  const descriptors = new Map<string, string>();
  return calls.map((call) => {
    for (const argument of call.args) noteDescriptor(descriptors, argument);
    noteDescriptor(descriptors, call.opened);
    return { ...call, file: below(folder, pathOf(call, descriptors)) };
  });
}

function noteDescriptor(descriptors: Map<string, string>, text: string | null): void {
  const found = /^(\d+)<((?:\\x[0-9a-f]{2})*)>/.exec(text ?? '');
  if (found) descriptors.set(found[1] ?? '', bytesOf(`"${found[2]}"`).toString());
}

function pathOf(call: Call, descriptors: ReadonlyMap<string, string>): string | null {
  const at = PATH_ARGUMENT[call.name];
  const argument = call.args[at ?? 0] ?? '';
  if (at === undefined || argument === '""') {
    const number = call.args[call.name === 'mmap' ? 4 : 0] ?? '';
    return descriptors.get(/^\d+/.exec(number)?.[0] ?? '') ?? null;
  }
  const path = bytesOf(argument).toString();
  const [, descriptor, rest = ''] = /^\/proc\/self\/fd\/(\d+)(.*)$/s.exec(path) ?? [];
  return descriptor === undefined ? path : `${descriptors.get(descriptor)}${rest}`;
}

function below(folder: string, path: string | null): string | null {
  if (path === folder) return '.';
  return path?.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null;
}

/**
 * Where in the program a call comes from, as far as a tracer can tell: its name and its file, without
 * what differs from run to run.
 */
export function callSite({ name, file }: FileCall): string {
  const steady = (file ?? '')
    .replace(/projects\/[0-9a-f]{24}/, 'projects/*')
    .replace(/\.savepoint-\w+-\d+/, '.savepoint-*')
    .replace(/[0-9a-f]{64}/, '*')
    .replace(/\.[0-9a-f]{16}\.tmp/, '.*.tmp');
  return `${name} ${steady}`;
}

/** Whether a call changed what a kill leaves behind. */
export function changesFiles(call: FileCall, writing: readonly string[]): boolean {
  if (call.file === null || call.result < 0 || !writing.includes(call.name)) return false;
  // An open that makes nothing changes nothing.
  return !call.name.startsWith('open') || /O_CREAT|O_TRUNC/.test(call.args.join());
}

export function isOnProject({ file }: FileCall): boolean {
  return file === 'project' || (file?.startsWith('project/') ?? false);
}
