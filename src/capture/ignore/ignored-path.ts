import { ancestors, isOutside, nameOf, type TrackedPath } from '../../model/path.ts';
import { loadGlobalRules, type RulesEnvironment, readRuleText } from './global-rules.ts';
import { parseIgnore } from './ignore-file.ts';
import { type FolderRules, type GlobalRules, rootScope } from './ignore-scope.ts';

/** Whether git ignores a path, and a scan would keep it all the same if it is small. */
export type IsIgnored = (path: TrackedPath, isDirectory: boolean) => boolean;

/** For single paths that no scan has judged. Reads the rule files on the way to each path. */
export function ignoredPaths(root: string, environment: RulesEnvironment): IsIgnored {
  let global: GlobalRules | null = null;
  return (path, isDirectory) => {
    if (isOutside(path)) return false;
    global ??= { ...loadGlobalRules(root, environment), keepIgnored: true };
    let scope = rootScope(global, rulesIn(root));
    for (const folder of ancestors(path)) {
      const name = nameOf(folder);
      const verdict = scope.judge(name, true);
      if (verdict !== 'in-scope') return verdict === 'ignored';
      scope = scope.enter(name, rulesIn(`${root}/${folder}`));
    }
    return scope.judge(nameOf(path), isDirectory) === 'ignored';
  };
}

/** Markers of build output make no difference: they leave folders out that are not ignored by git. */
function rulesIn(folder: string): FolderRules {
  const read = (name: string): FolderRules['gitignore'] => {
    const text = readRuleText(`${folder}/${name}`, { followLink: false });
    return text === null ? null : parseIgnore(text);
  };
  return {
    gitignore: read('.gitignore'),
    savepointignore: read('.savepointignore'),
    markers: new Set(),
  };
}
