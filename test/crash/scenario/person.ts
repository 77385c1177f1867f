import { lstatSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Place } from './place.ts';
import { type Tree, treeOf } from './tree.ts';

/** What a person does between a crash and the next start. */
export interface PersonalEdit {
  readonly title: string;
  /** Returns what is theirs from then on, and then what depends on that. */
  readonly make: (project: string) => readonly string[];
}

/** The person writes a file, or to what the crash left in its place. */
function writes(path: string): PersonalEdit {
  return {
    title: `writes ${path}`,
    make: (project) => {
      const target = targetOf(project, path);
      const at = join(project, target);
      if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(at);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, 'what the person wrote after the crash\n');
      return [target, path];
    },
  };
}

export const EDITS: readonly PersonalEdit[] = [
  writes('src/app.ts'),
  writes('src/large.bin'),
  writes('notes.txt'),
  writes('run.sh'),
  writes('empty.txt'),
  writes('link'),
  writes('docs/old.md'),
  writes('docs'),
  writes('made/by/agent'),
  writes('made/by/agent/new.ts'),
  writes('to-folder'),
  writes('to-file'),
  writes('to-file/inside.txt'),
  { title: 'moves src away and links to it', make: linkFolder },
];

/** A file that stands where a folder should be is written instead; into a folder goes a new file. */
function targetOf(project: string, path: string): string {
  const names = path.split('/');
  for (const length of names.keys()) {
    const at = names.slice(0, length + 1).join('/');
    const stats = lstatSync(join(project, at), { throwIfNoEntry: false });
    if (stats === undefined) return path;
    if (!stats.isDirectory()) return at;
  }
  return `${path}/personal.txt`;
}

function linkFolder(project: string): readonly string[] {
  renameSync(join(project, 'src'), join(project, 'moved'));
  symlinkSync('moved', join(project, 'src'));
  return ['src', 'moved'];
}

/** The tree without what the person's edit concerns: the paths, what is above and what is below. */
export function withoutPaths(tree: Tree, paths: readonly string[]): Tree {
  const related = (other: string): boolean =>
    paths.some(
      (path) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
    );
  return Object.fromEntries(Object.entries(tree).filter(([other]) => !related(other)));
}

/** What is theirs, as it is now. Its mode is left out: that may be merged, as contents are. */
export function theirs({ project }: Place, [path = '']: readonly string[]): string {
  return `${treeOf(project)[path]}`.replace(/^file \d+/, 'file');
}
