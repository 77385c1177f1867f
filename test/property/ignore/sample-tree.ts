import fc from 'fast-check';
import { rulesFor } from './sample-rules.ts';

/** File names and rules as byte texts: one character for each byte, so that any byte can occur. */
export type ByteText = string;

/** A worktree to judge. */
export interface SampleTree {
  /** Paths of files, components joined by "/". */
  readonly files: readonly ByteText[];
  readonly gitignores: readonly SampleRules[];
  readonly infoExclude: ByteText;
  readonly excludesFile: ByteText;
  /** The folder from which both look, "" for the repository's top. */
  readonly from: ByteText;
}

export interface SampleRules {
  /** "" for the top. */
  readonly folder: ByteText;
  readonly text: ByteText;
}

const E_ACUTE = '\xc3\xa9';
const NOT_UTF8 = '\xff';
const FOLDERS = ['a', 'b', 'ab', 'foo', 'd.o', E_ACUTE, 'sp ace', `a${NOT_UTF8}`];
const NAMES = [
  ...FOLDERS,
  'a.o',
  'b.o',
  '.o',
  'fo',
  'foo.txt',
  ' a',
  'a ',
  '!a',
  '#a',
  'a*b',
  '[a]',
  '\\a',
  'a\\',
  '-',
  ']',
  `${E_ACUTE}.o`,
  NOT_UTF8,
];

const folderPath = fc
  .array(fc.constantFrom(...FOLDERS), { maxLength: 3 })
  .map((names) => names.join('/'));

const filePath = fc
  .tuple(folderPath, fc.constantFrom(...NAMES))
  .map(([folder, name]) => (folder === '' ? name : `${folder}/${name}`));

export const sampleTrees: fc.Arbitrary<SampleTree> = fc
  .uniqueArray(filePath, { minLength: 3, maxLength: 25 })
  .chain((files) => {
    const rules = rulesFor(files);
    const folder = fc.constantFrom('', '', ...files.map(folderOf));
    return fc.record({
      files: fc.constant(files),
      gitignores: fc.uniqueArray(fc.record({ folder, text: rules }), {
        maxLength: 3,
        selector: (each) => each.folder,
      }),
      infoExclude: fc.oneof(fc.constant(''), rules),
      excludesFile: fc.oneof(fc.constant(''), rules),
      // A child process cannot be started in a folder whose name is not UTF-8.
      from: folder.map((path) => (path.includes(NOT_UTF8) ? '' : path)),
    });
  });

function folderOf(path: ByteText): ByteText {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
