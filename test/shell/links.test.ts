import { takesBack } from './scenario.ts';

takesBack([
  {
    name: 'new symbolic links, to a file, to a folder and to nothing',
    script: 'ln -s src/main.txt a; ln -s src b; ln -s no/where c',
    changed: ['a', 'b', 'c'],
  },
  {
    name: 'a symbolic link to a place outside, which stays as it is',
    script: 'printf outside > "$HOME/file"; ln -s "$HOME/file" away; ln -s / top',
    changed: ['away', 'top'],
  },
  {
    name: 'a symbolic link that was pointed elsewhere',
    script: 'ln -sfn src/other.txt link',
    changed: ['link'],
  },
  {
    name: 'a symbolic link that was pointed to a target of the same length',
    script: 'ln -sfn src/m4in.txt link; touch -h -d "2020-01-01 00:00" link',
    changed: ['link'],
  },
  {
    name: 'a symbolic link that was replaced by a file',
    script: 'rm link; printf "real\\n" > link',
    changed: ['link'],
  },
  {
    name: 'a file that was replaced by a symbolic link to it',
    script: 'mv src/main.txt src/real.txt; ln -s real.txt src/main.txt',
    changed: ['src/main.txt', 'src/real.txt'],
  },
  {
    name: 'a symbolic link that became a file and a link again',
    script: 'rm link; printf x > link; rm link; ln -s src/main.txt link',
    changed: [],
  },
  {
    name: 'a folder that was replaced by a symbolic link to another folder',
    script: 'mv src source; ln -s source src',
  },
  {
    name: 'a folder that was replaced by a symbolic link to a place outside',
    script: 'mv src "$HOME/moved"; ln -s "$HOME/moved" src',
  },
  {
    name: 'a symbolic link to a folder that was replaced by a folder',
    script: 'rm folder-link; mkdir folder-link; printf x > folder-link/x',
    changed: ['folder-link', 'folder-link/x'],
  },
  {
    name: 'a symbolic link that points to itself',
    script: 'ln -s loop loop; ln -s ../. src/round',
    changed: ['loop', 'src/round'],
  },
  {
    name: 'symbolic links whose targets are not UTF-8',
    script: "ln -s $'t\\xff' new; ln -sfn $'\\xfe' link",
    changed: ['link', 'new'],
  },
  {
    name: 'a new hard link',
    script: 'ln src/main.txt src/again.txt',
    changed: ['src/again.txt'],
  },
  {
    name: 'an edit through one of two hard links',
    extra: 'ln src/main.txt twin.txt',
    script: 'printf "six\\n" >> twin.txt',
    changed: ['src/main.txt', 'twin.txt'],
  },
  {
    name: 'a hard link that was cut by an editor',
    extra: 'ln src/main.txt twin.txt',
    script: "sed -i 's/one/ONE/' twin.txt",
    changed: ['twin.txt'],
  },
]);
