import { takesBack } from './scenario.ts';

takesBack([
  {
    name: 'a file that was renamed',
    script: 'mv src/main.txt src/first.txt',
    changed: ['src/first.txt', 'src/main.txt'],
  },
  {
    name: 'a file that was renamed and edited',
    script: 'mv src/main.txt src/first.txt; printf "six\\n" >> src/first.txt',
    changed: ['src/first.txt', 'src/main.txt'],
  },
  {
    name: 'a file that was moved over another one',
    script: 'mv -f src/main.txt src/other.txt',
    changed: ['src/main.txt', 'src/other.txt'],
  },
  {
    name: 'a folder that was renamed with all that is in it',
    script: 'mv src source',
  },
  {
    name: 'a folder that was moved into another one',
    script: 'mv src/deep docs/deep',
  },
  {
    name: 'folders that were nested the other way round',
    script: 'mv src/deep/er tmp; mv src/deep tmp/deep; mv tmp src/er',
  },
  {
    name: 'two files that swapped their names',
    script: 'mv src/main.txt tmp; mv src/other.txt src/main.txt; mv tmp src/other.txt',
    changed: ['src/main.txt', 'src/other.txt'],
  },
  {
    name: 'two folders that swapped their names',
    script: 'mv src tmp; mv docs src; mv tmp docs',
  },
  {
    name: 'a file and a folder that swapped their names',
    script: 'mv src/deep tmp; mv src/main.txt src/deep; mv tmp src/main.txt',
  },
  {
    name: 'a rename in which only the case of a letter changed',
    script: 'mv src/main.txt src/Main.txt; mv docs Docs',
  },
  {
    name: 'three names that went round in a circle',
    script:
      'cd src; mv main.txt tmp; mv other.txt main.txt; mv data.bin other.txt; mv tmp data.bin',
    changed: ['src/data.bin', 'src/main.txt', 'src/other.txt'],
  },
  {
    name: 'a rename and its way back',
    script: 'mv src/main.txt tmp; mv tmp src/main.txt; mv src tmp; mv tmp src',
    changed: [],
  },
  {
    name: 'copies of a file and of a folder',
    script: 'cp -p src/main.txt copy.txt; cp -a src copied',
  },
]);
