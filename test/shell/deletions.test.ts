import { takesBack } from './scenario.ts';

takesBack([
  {
    name: 'a file that was deleted',
    script: 'rm src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'a folder that was deleted by rm -r',
    script: 'rm -r src',
    changed: [
      'src',
      'src/data.bin',
      'src/deep',
      'src/deep/er',
      'src/deep/er/leaf.txt',
      'src/main.txt',
      'src/other.txt',
    ],
  },
  {
    name: 'an empty folder that was removed',
    script: 'rmdir empty',
    changed: ['empty'],
  },
  {
    name: 'symbolic links that were deleted',
    script: 'rm link folder-link dangling',
    changed: ['dangling', 'folder-link', 'link'],
  },
  {
    name: 'the whole content of the project',
    script: 'find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +',
  },
  {
    name: 'a file that was deleted and made again with other content',
    script: 'rm src/main.txt; printf "anew\\n" > src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'a file that was deleted and made again as it was',
    script: 'cp -p src/main.txt "$HOME/kept"; rm src/main.txt; cp "$HOME/kept" src/main.txt',
    changed: [],
  },
  {
    name: 'a folder that was deleted and made again as it was',
    script: 'cp -a src "$HOME/src"; rm -r src; cp -r "$HOME/src" src',
    changed: [],
  },
  {
    name: 'a folder that was deleted and made again with less in it',
    script: 'rm -r src; mkdir src; printf "alone\\n" > src/alone.txt',
  },
  {
    name: 'a file that was moved out of the project',
    script: 'mv src/main.txt "$HOME/"',
    changed: ['src/main.txt'],
  },
  {
    name: 'files that came and went while the command ran',
    script: 'mkdir tmp; printf x > tmp/x; rm -r tmp',
    changed: [],
  },
]);
