import { takesBack } from './scenario.ts';

/** The text by which the program knows a name with one byte that is not UTF-8. */
const latin = (before: string, byte: number, after: string): string =>
  before + String.fromCharCode(0xdc00 + byte) + after;

takesBack([
  {
    name: 'an edit to a file with a name that is not UTF-8',
    script: "printf 'more\\n' >> $'caf\\xe9.txt'",
    changed: [latin('caf', 0xe9, '.txt')],
  },
  {
    name: 'a deleted folder with a name that is not UTF-8',
    script: "rm -r $'odd\\xff'",
    changed: [latin('odd', 0xff, ''), latin('odd', 0xff, '/inside.txt')],
  },
  {
    name: 'new files with names that are not UTF-8, and differ in one byte',
    script:
      "printf 1 > $'n\\x80'; printf 2 > $'n\\x81'; printf 3 > $'n\\xc3'; printf 4 > $'n\\xc3\\xa9'",
    changed: [latin('n', 0x80, ''), latin('n', 0x81, ''), latin('n', 0xc3, ''), 'n\u00e9'],
  },
  {
    name: 'edits to names with spaces, line ends and emoji',
    script: `
      printf x > 'with space/a file.txt'
      printf x > $'new\\nline.txt'
      mv $'\\U1F388 balloon.txt' $'\\U1F389 party.txt'`,
    changed: [
      'with space/a file.txt',
      'new\nline.txt',
      '\u{1f388} balloon.txt',
      '\u{1f389} party.txt',
    ],
  },
  {
    name: 'two spellings of one letter, composed and decomposed',
    script: "printf 1 > $'\\u00e9'; printf 2 > $'e\\u0301'",
    changed: ['\u00e9', 'e\u0301'],
  },
  {
    name: 'names that look like options, patterns and quotes',
    script: `printf 1 > -rf; printf 2 > '*'; printf 3 > '"quoted"'; printf 4 > "it's"; printf 5 > 'a\\b'`,
    changed: ['-rf', '*', '"quoted"', "it's", 'a\\b'],
  },
  {
    name: 'names that hold dots, blanks and control characters',
    script: `printf 1 > ...; mkdir ' '; printf 2 > ' / '; printf 3 > $'tab\\there'; printf 4 > $'\\e[31mred'`,
    changed: ['...', ' ', ' / ', 'tab\there', '\u001b[31mred'],
  },
  {
    name: 'a name of 255 bytes',
    script: 'printf x > "$(printf "%0255d" 0)"',
    changed: ['0'.repeat(255)],
  },
  {
    name: 'names that sort differently as a file and as a folder',
    script: 'printf 1 > a; mkdir a.d a-; printf 2 > a.d/x; printf 3 > a-/x; printf 4 > a0',
    changed: ['a', 'a-', 'a-/x', 'a.d', 'a.d/x', 'a0'],
  },
  {
    name: 'a rename from UTF-8 to bytes that are none',
    script: "mv docs/guide.md $'docs/gu\\xefde.md'",
    changed: ['docs/guide.md', latin('docs/gu', 0xef, 'de.md')],
  },
]);
