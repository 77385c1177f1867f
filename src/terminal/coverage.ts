import type { Coverage } from '../index.ts';

/** What is on record at a checkpoint, for people. */
export const COVERAGE: Readonly<Record<Coverage, string>> = {
  named: 'files that tools named',
  scanned: 'the whole worktree',
  deadline: 'a gap: the scan took too long',
  'too-many-entries': 'a gap: too many files',
  'too-large': 'a gap: too much to copy',
  failed: 'a gap: the scan failed',
};
