import { join } from 'node:path';
import { type RulesEnvironment, readExcludesFile } from './excludes-file.ts';
import { type FolderAbove, type GlobalRules, ignoresRoot } from './ignore-scope.ts';
import { ruledBy } from './repository.ts';
import { readRuleText } from './rule-text.ts';

export type { RulesEnvironment } from './excludes-file.ts';

/**
 * Reads the rules that come from outside a project: git's global file, the repository's info/exclude
 * and, where the project lies below the repository's top, the .gitignore files above it. Without git
 * it reads what is there. Starts git at most once, and only where a configuration may name a file.
 */
export function loadGlobalRules(root: string, environment: RulesEnvironment): GlobalRules {
  const repository = ruledBy(root);
  const excludesFile = readExcludesFile(root, repository, environment);
  const alone: GlobalRules = { excludesFile, infoExclude: null, above: [] };
  if (repository === null) return alone;
  const within: GlobalRules = {
    excludesFile,
    infoExclude: readRuleText(join(repository.commonDir, 'info/exclude'), { followLink: true }),
    above: foldersAbove(root, repository.top),
  };
  // A repository that ignores the project as a whole (of the home directory, say) is not about it.
  return ignoresRoot(within) ? alone : within;
}

function foldersAbove(root: string, top: string): FolderAbove[] {
  if (root === top) return [];
  const names = root.slice(top === '/' ? 1 : top.length + 1).split('/');
  return names.map((next, depth) => {
    const gitignore = join(top, ...names.slice(0, depth), '.gitignore');
    return { gitignore: readRuleText(gitignore, { followLink: false }), next };
  });
}
