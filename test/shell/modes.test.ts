import { takesBack } from './scenario.ts';

takesBack([
  {
    name: 'a file that was made executable',
    script: 'chmod +x src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'a script that is not executable any more',
    script: 'chmod -x tools/run.sh',
    changed: ['tools/run.sh'],
  },
  {
    name: 'a private file that was opened to everybody',
    script: 'chmod 644 tools/key',
    changed: ['tools/key'],
  },
  {
    name: 'a file that was made read-only and edited',
    script: 'printf "six\\n" >> src/main.txt; chmod 444 src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'the mode of a folder',
    script: 'chmod 700 src',
    changed: ['src'],
  },
  {
    name: 'a folder that was made read-only, with edits in it',
    script: 'printf x > src/main.txt; printf x > src/made.txt; chmod 555 src',
    changed: ['src', 'src/made.txt', 'src/main.txt'],
  },
  {
    name: 'edits in a folder that was read-only before and became so again',
    extra: 'chmod 555 src',
    script: 'chmod 755 src; rm src/main.txt; printf x > src/made.txt; chmod 555 src',
    changed: ['src/made.txt', 'src/main.txt'],
  },
  {
    name: 'a read-only folder that was deleted with all that is in it',
    extra: 'chmod 555 src/deep/er; chmod 500 src/deep',
    script: 'chmod -R u+w src; rm -r src',
  },
  {
    name: 'modes that were changed all over the tree',
    script: 'chmod -R g-rwx,o-rwx src docs tools',
  },
  {
    name: 'a new file and a new folder with modes of their own',
    script: 'mkdir -m 750 made; printf x > made/x; chmod 640 made/x',
    changed: ['made', 'made/x'],
  },
  {
    name: 'a folder that lost its sticky bit',
    extra: 'chmod 1777 src',
    script: 'chmod 777 src',
    changed: ['src'],
  },
  {
    name: 'a folder that got a sticky bit',
    script: 'chmod +t src',
    changed: ['src'],
  },
  {
    name: 'a folder that lost its setgid bit',
    extra: 'chmod 2775 src',
    script: 'chmod 0775 src; chmod g-s src',
    changed: ['src'],
  },
  {
    name: 'folders with a sticky bit and with setgid that were deleted with all that is in them',
    extra: 'chmod 3775 src/deep; chmod 1777 src/deep/er; chmod +t src/main.txt',
    script: 'rm -r src',
  },
  {
    name: 'a folder that was deleted below one whose setgid bit new folders inherit',
    extra: 'chmod g+s src; chmod g-s src/deep',
    script: 'rm -r src/deep',
  },
  {
    name: 'a sticky bit of a file',
    extra: 'chmod 1644 src/main.txt',
    script: 'printf x > src/main.txt; chmod 644 src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'a file whose mode alone was changed to and fro',
    script: 'chmod 600 src/main.txt; chmod 644 src/main.txt',
    changed: [],
  },
  {
    name: 'a file that was replaced by one with another mode',
    script: 'install -m 700 src/other.txt src/main.txt',
    changed: ['src/main.txt'],
  },
]);
