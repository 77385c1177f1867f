import type { FsPath } from '../../fs/pinned-folder.ts';
import { readFileOrNull } from '../../fs/read-file.ts';
import { bytesToPath } from '../../model/path.ts';
import { MAX_IGNORE_FILE_LENGTH } from './ignore-file.ts';

export interface RuleFileOptions {
  /** git follows links to the global files and not to a .gitignore. */
  readonly followLink: boolean;
}

/** The text of a rule file. Null where there is none, or it is no regular file, or is past the limit. */
export function readRuleText(at: FsPath, { followLink }: RuleFileOptions): string | null {
  const bytes = readFileOrNull(at, { followLink, maxBytes: MAX_IGNORE_FILE_LENGTH });
  return bytes === null ? null : bytesToPath(bytes);
}
