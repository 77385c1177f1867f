/** A name that rules hide now and then. */
export const LATE = 'late';

/**
 * The paths that sequences play on: few, so that they meet often. Each may be a file, a link or a
 * folder at any time. A lone surrogate stands for a byte that is not UTF-8, as in the engine's paths.
 */
export const NAMES: readonly string[] = [
  'a',
  'b',
  'd',
  'd/a',
  'd/b',
  'd/e',
  'd/e/a',
  'n/m',
  'n/m/a',
  'new\nline ☃',
  'raw \udcff\udc80',
  LATE,
];

/** Links lead to one of these, all in the project's own folder; the last is never there. */
export const LINK_TARGETS: readonly string[] = ['a', 'b', 'd', 'nowhere'];

/** The folders above a path, outermost first. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** Whether rules that hide these names hide a path. */
export function isHidden(path: string, hidden: ReadonlySet<string>): boolean {
  return [path, ...foldersAbove(path)].some((name) => hidden.has(name));
}

export function isDirectlyBelow(path: string, folder: string): boolean {
  return isBelow(path, folder) && !path.slice(folder.length + 1).includes('/');
}

/** What a link at `path` must hold to lead to a name in the project's folder. */
export function linkText(path: string, target: string): string {
  return '../'.repeat(path.split('/').length - 1) + target;
}

/** The name in the project's folder that a link's text leads to. */
export function linkedName(text: string): string {
  return text.replaceAll('../', '');
}
