export { MARKER_NAMES } from './default-rules.ts';
export { loadGlobalRules, type RulesEnvironment } from './global-rules.ts';
export { type IgnoreFile, MAX_IGNORE_FILE_LENGTH, parseIgnore } from './ignore-file.ts';
export {
  type FolderAbove,
  type FolderRules,
  type GlobalRules,
  IGNORE_FILE_NAMES,
  type IgnoreScope,
  rootScope,
  type ScopeOptions,
  sameGlobalRules,
} from './ignore-scope.ts';
export { type PathMatcher, pathMatcher } from './path-matcher.ts';
