import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { availableParallelism, loadavg, platform, release, tmpdir, totalmem } from 'node:os';

// From the kernel's magic.h.
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  801189825: 'zfs',
  16914836: 'tmpfs',
  2240043254: 'ramfs',
  2035054128: 'overlayfs',
};
const IN_MEMORY: readonly string[] = ['tmpfs', 'ramfs'];

/** What a reader needs to judge the figures; nothing that names the machine or its owner. */
export interface Machine {
  readonly cores: number;
  readonly memoryGiB: number;
  readonly fileSystem: string;
  readonly kernel: string;
  readonly node: string;
  readonly git: string;
  /** Load average over the last minute: high means that others were at work too. */
  readonly load: number;
}

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    fileSystem: fileSystemOf(tmpdir()),
    // What distributions and clouds append would name them.
    kernel: `${platform()} ${/^[\d.]+/.exec(release())?.[0] ?? ''}`,
    node: process.versions.node,
    git: /[\d.]+/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown',
    load: loadavg()[0] ?? 0,
  };
}

/** Where a sync costs nothing, a comparison of durable writes says nothing. */
export function requireDisk({ fileSystem }: Machine): void {
  if (!IN_MEMORY.includes(fileSystem)) return;
  throw new Error(`temporary files are on ${fileSystem}: set TMPDIR to a folder on a disk`);
}

function fileSystemOf(folder: string): string {
  const { type } = statfsSync(folder);
  return FILE_SYSTEMS[type] ?? `type 0x${type.toString(16)}`;
}
