import { join } from 'node:path';
import { type GitEnvironment, runGit } from './git-child.ts';
import { type GitRefusal, Refusal } from './refusal.ts';
import type { Repository } from './repository.ts';

/**
 * Refuses repositories whose configuration says that objects may be elsewhere or of another kind, or
 * that programs convert files. Runs before any command that would read an object.
 */
export async function checkConfiguration(
  repository: Repository,
  environment: GitEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { gitDir, commonDir } = repository;
  const call = { gitDir, top: null, environment, signal };
  const list = ['config', '--null', '--list'];
  const printed = await Promise.all([
    // The file itself as well: a git that does not know an extension leaves the whole file out.
    runGit({ ...call, args: [...list, '--file', join(commonDir, 'config')] }),
    runGit({ ...call, args: list }),
  ]);
  for (const output of printed) {
    for (const record of output.toString('utf8').split('\0')) check(record);
  }
}

function check(record: string): void {
  const end = record.indexOf('\n');
  // A key without "=" has no value, and then means true.
  const [key, value] =
    end === -1 ? [record, 'true'] : [record.slice(0, end), record.slice(end + 1)];
  const refusal = refusalOf(key, value);
  if (refusal !== null) throw new Refusal(refusal);
}

const PLAIN_EXTENSIONS = ['noop', 'preciousobjects', 'worktreeconfig', 'relativeworktrees'];

function refusalOf(key: string, value: string): GitRefusal | null {
  if (key.startsWith('extensions.')) return extensionRefusal(key.slice(11), value);
  if (key.startsWith('filter.') && driverOf(key) !== 'lfs') return 'filter-driver';
  return /^remote\..*\.(promisor|partialclonefilter)$/s.test(key) ? 'partial-clone' : null;
}

function extensionRefusal(name: string, value: string): GitRefusal | null {
  if (name === 'objectformat') return value === 'sha1' ? null : 'sha256';
  if (name === 'refstorage') return value === 'files' ? null : 'reftable';
  if (name === 'partialclone') return 'partial-clone';
  return PLAIN_EXTENSIONS.includes(name) ? null : 'repository-extension';
}

/** What stands between the first and the last dot; a driver's own name may hold more of them. */
function driverOf(key: string): string {
  return key.slice('filter.'.length, key.lastIndexOf('.'));
}
