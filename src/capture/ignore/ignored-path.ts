import { ancestors, isOutside, nameOf, type TrackedPath } from '../../model/path.ts';
import { readRuleText } from './global-rules.ts';
import { parseIgnore } from './ignore-file.ts';
import { type FolderRules, type GlobalRules, rootScope } from './ignore-scope.ts';

/** Whether git ignores a path, by its own rules alone. */
export type IsIgnored = (path: TrackedPath, isDirectory: boolean) => boolean;

/**
 * For single paths that no scan has judged. Reads the .gitignore files on the way to each path. A file is private
 * because git ignores it, so neither .savepointignore nor the list of build output has a say.
 */
export function ignoredPaths(root: string, load: () => GlobalRules): IsIgnored {
  let global: GlobalRules | null = null;
  return (path, isDirectory) => {
    if (isOutside(path)) return false;
    global ??= load();
    let scope = rootScope(global, rulesIn(root), { defaults: false });
    for (const folder of ancestors(path)) {
      const name = nameOf(folder);
      if (scope.judge(name, true) === 'left-out') return true;
      scope = scope.enter(name, rulesIn(`${root}/${folder}`));
    }
    return scope.judge(nameOf(path), isDirectory) === 'left-out';
  };
}

function rulesIn(folder: string): FolderRules {
  const text = readRuleText(`${folder}/.gitignore`, { followLink: false });
  const gitignore = text === null ? null : parseIgnore(text);
  return { gitignore, savepointignore: null, markers: new Set() };
}
