import { takesBack } from './scenario.ts';

takesBack([
  {
    name: 'a file that became a folder',
    script: 'rm src/main.txt; mkdir src/main.txt; printf x > src/main.txt/part',
    changed: ['src/main.txt', 'src/main.txt/part'],
  },
  {
    name: 'a folder that became a file',
    script: 'rm -r src/deep; printf flat > src/deep',
    changed: ['src/deep', 'src/deep/er', 'src/deep/er/leaf.txt'],
  },
  {
    name: 'an empty folder that became a file',
    script: 'rmdir empty; : > empty',
    changed: ['empty'],
  },
  {
    name: 'a file that became a folder and a file again',
    script: 'rm docs/empty.txt; mkdir docs/empty.txt; rmdir docs/empty.txt; : > docs/empty.txt',
    changed: [],
  },
  {
    name: 'a file that became a folder which a rule hides',
    extra: "printf 'gen/\\n' >> .gitignore; printf 'made by hand\\n' > gen",
    script: 'rm gen; mkdir gen',
    changed: ['gen'],
  },
  {
    name: 'a file that became a deep folder',
    script: 'rm src/main.txt; mkdir -p src/main.txt/a/b/c; printf x > src/main.txt/a/b/c/d',
  },
  {
    name: 'a folder that became a symbolic link to nothing',
    script: 'rm -r src/deep; ln -s nothing src/deep',
    changed: ['src/deep', 'src/deep/er', 'src/deep/er/leaf.txt'],
  },
  {
    name: 'file, link and folder that each became the next',
    script: `
      rm -r docs/guide.md dangling empty
      ln -s x docs/guide.md; mkdir dangling; printf x > dangling/x; printf x > empty`,
    changed: ['dangling', 'dangling/x', 'docs/guide.md', 'empty'],
  },
]);
