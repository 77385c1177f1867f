import { takesBack } from './scenario.ts';

takesBack([
  {
    name: 'touch, which changes no content',
    script: 'touch src/main.txt; find docs -exec touch {} +',
    changed: [],
  },
  {
    name: 'a file that was written with the content it had',
    script: 'cat src/main.txt > "$HOME/kept"; cat "$HOME/kept" > src/main.txt',
    changed: [],
  },
  {
    name: 'an edit that kept the size',
    script: 'printf "ONE\\ntwo\\nthree\\nfour\\nfive\\n" > src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'an edit that kept the size and set the time back',
    script: `
      cp -p src/main.txt "$HOME/times"
      printf "ONE\\ntwo\\nthree\\nfour\\nfive\\n" > src/main.txt
      touch -r "$HOME/times" src/main.txt`,
    changed: ['src/main.txt'],
  },
  {
    name: 'a replaced file of the same size and time',
    script: `
      printf "ONE\\ntwo\\nthree\\nfour\\nfive\\n" > tmp
      touch -r src/main.txt tmp
      mv tmp src/main.txt`,
    changed: ['src/main.txt'],
  },
  {
    name: 'edits to files whose times lie in the future',
    script: 'printf "x\\n" > src/main.txt; touch -d "2100-01-01" src/main.txt src/other.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'edits with times from before the epoch',
    script: 'printf "x\\n" > src/main.txt; touch -d "1960-01-01" src/main.txt src/other.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'a new file in a folder whose time was set back',
    script: `
      printf x > src/made.txt
      touch -d "2020-01-01 00:00" src`,
    changed: ['src/made.txt'],
  },
  {
    name: 'a file that was deleted from a folder whose time was set back',
    script: `
      rm src/deep/er/leaf.txt
      touch -d "2020-01-01 00:00" src/deep/er`,
    changed: ['src/deep/er/leaf.txt'],
  },
  {
    name: 'many edits to one file, one after the other',
    script: 'for i in $(seq 50); do printf "%03d\\n" $i > src/main.txt; done',
    changed: ['src/main.txt'],
  },
]);
