import fc from 'fast-check';
import type { ByteText } from './sample-tree.ts';

const PIECES: readonly ByteText[] = [
  'a',
  'b',
  'o',
  'foo',
  '.o',
  '\xc3\xa9',
  '\xff',
  ' ',
  '#',
  '!',
  '*',
  '*',
  '?',
  '**',
  '***',
  '\\a',
  '\\*',
  '\\?',
  '\\[',
  '\\ ',
  '\\\\',
  '\\/',
  '\\',
  '[ab]',
  '[!a]',
  '[^a-c]',
  '[]a]',
  '[!]]',
  '[a',
  '[a-c-e]',
  '[b-a]',
  '[--b]',
  '[a-]',
  '[\\]a]',
  '[a/b]',
  '[\xc3\xa9]',
  '[\x80-\xff]',
  '[[:alpha:]]',
  '[[:alpha:]-]',
  '[[:punct:]b]',
  '[[:nonsense:]]',
  '[[:a]',
];

const madeUp = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 })
  .map((pieces) => pieces.join(''));

const wild = fc.constantFrom('*', '**', '?', '*.o', 'a*', 'foo', '***');

/** A path of the tree with some of its components replaced: patterns that have a chance to fit. */
function nearPath(files: readonly ByteText[]): fc.Arbitrary<ByteText> {
  return fc.constantFrom(...files).chain((file) => {
    const names = file.split('/');
    const depth = fc.integer({ min: 1, max: names.length });
    return depth.chain((kept) => fc.tuple(...names.slice(-kept).map(nearName))).map(join);
  });
}

function nearName(name: ByteText): fc.Arbitrary<ByteText> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(name) },
    { weight: 2, arbitrary: wild },
    { weight: 1, arbitrary: madeUp },
    { weight: 1, arbitrary: wild.map((extra) => `${name}${extra}`) },
    { weight: 1, arbitrary: wild.map((extra) => `${extra}/${name}`) },
  );
}

function join(names: readonly ByteText[]): ByteText {
  return names.join('/');
}

function patternFor(files: readonly ByteText[]): fc.Arbitrary<ByteText> {
  const body = fc.oneof(
    { weight: 3, arbitrary: nearPath(files) },
    { weight: 1, arbitrary: fc.array(fc.oneof(madeUp, wild), { maxLength: 3 }).map(join) },
  );
  return fc
    .tuple(
      fc.constantFrom('', '', '', '!', '!', '/', '!/', '**/', '//'),
      body,
      fc.constantFrom('', '', '', '/', '/', '/*', '/**', ' ', '  ', '\\ ', '\t', '//'),
    )
    .map((parts) => parts.join(''))
    .filter(meansTheSameToEveryGit);
}

// Before 2.52 git took "a" off "a**/b" before it looked at the stars, and so mistook them for the
// start of the pattern. We do as its documentation and its newer releases do.
function meansTheSameToEveryGit(pattern: ByteText): boolean {
  return !/^!?\/?[^*?[\\]*[^*?[\\/]\*\*/.test(pattern);
}

/** The text of a rule file for a tree with these files. */
export function rulesFor(files: readonly ByteText[]): fc.Arbitrary<ByteText> {
  const line = fc.oneof(
    { weight: 12, arbitrary: patternFor(files) },
    { weight: 1, arbitrary: fc.constantFrom('', '# a', '#a', ' ', '!', '/', '\\', 'a\0b') },
  );
  return fc
    .tuple(
      fc.constantFrom('', '', '', '\xef\xbb\xbf'),
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('\n', '\n', '\r\n'),
      fc.boolean(),
    )
    .map(([mark, lines, end, isEnded]) => mark + lines.join(end) + (isEnded ? end : ''));
}
