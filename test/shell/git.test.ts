import { type Scenario, takesBack } from './scenario.ts';

/** A second branch on which files were changed, made, deleted and renamed. */
const BRANCH = `
git checkout --quiet -b topic
printf 'topic\\n' > src/topic.txt
sed -i 's/two/TOPIC/' src/main.txt
git rm --quiet docs/guide.md
git mv src/other.txt src/renamed.txt
chmod +x src/deep/er/leaf.txt
git add --all
git commit --quiet --message topic
git checkout --quiet main
`;

const SCENARIOS: readonly Omit<Scenario, 'git'>[] = [
  { name: 'git mv', script: 'git mv src/main.txt src/first.txt; git mv docs papers' },
  { name: 'git rm', script: 'git rm -r --quiet src' },
  {
    name: 'git checkout of a branch, with HEAD left on it',
    script: `${BRANCH}git checkout --quiet topic`,
  },
  {
    name: 'git checkout of one file from another branch',
    script: `${BRANCH}git checkout --quiet topic -- src/main.txt`,
    changed: ['src/main.txt'],
  },
  {
    name: 'git stash',
    script: `
      printf "edited\\n" > src/main.txt; printf new > new.txt
      git add new.txt; git stash --quiet; printf after > after.txt`,
    changed: ['after.txt'],
  },
  {
    name: 'git stash pop',
    script: 'printf "edited\\n" > src/main.txt; git stash --quiet; git stash pop --quiet',
    changed: ['src/main.txt'],
  },
  {
    name: 'git reset --hard to an older commit',
    script: `
      printf "second\\n" > src/second.txt; printf "second\\n" > src/main.txt
      git add --all; git commit --quiet --message second
      printf "third\\n" > third.txt; git add --all; git commit --quiet --message third
      git reset --quiet --hard HEAD~1`,
    changed: ['src/main.txt', 'src/second.txt'],
  },
  {
    name: 'git merge of a branch',
    script: `${BRANCH}
      printf "main\\n" > main.txt; git add --all; git commit --quiet --message main
      git merge --quiet --no-edit topic`,
  },
  {
    name: 'git merge that stopped at a conflict',
    script: `${BRANCH}
      sed -i 's/two/MAIN/' src/main.txt; git commit --quiet --all --message main
      git merge --quiet topic || true; grep -q '<<<<<<<' src/main.txt`,
  },
  {
    name: 'git rebase',
    script: `${BRANCH}
      printf "main\\n" > main.txt; git add --all; git commit --quiet --message main
      git checkout --quiet topic; git rebase --quiet main`,
  },
  {
    name: 'git cherry-pick and git revert',
    script: `${BRANCH}git cherry-pick topic > /dev/null; git revert --no-edit HEAD > /dev/null`,
    // git revert brings the old bytes back, so only what happens after it counts.
    changed: [],
  },
  {
    name: 'git clean of files that were not added',
    script: 'rm docs/up; printf x > untracked; mkdir more; printf x > more/x; git clean -fdq',
    // An empty folder is nothing to git.
    changed: ['docs/up', 'empty'],
  },
  {
    name: 'git apply',
    script: `
      printf "patched\\n" > src/main.txt; git diff > "$HOME/p"; git checkout --quiet -- .
      git apply "$HOME/p"`,
    changed: ['src/main.txt'],
  },
  {
    name: 'a commit of edited files, which stays in git',
    script: 'printf "new\\n" > src/main.txt; git commit --quiet --all --message new',
    changed: ['src/main.txt'],
  },
  {
    name: 'edits after which git collected its garbage',
    script: `
      printf "new\\n" > src/main.txt; rm -r docs; git add --all; git commit --quiet --message new
      git repack -adq; git reflog expire --expire=now --all; git gc --quiet --prune=now`,
  },
  {
    name: 'edits after which the repository itself was deleted',
    script: 'rm -rf .git src; printf x > docs/guide.md',
  },
  {
    name: 'a file past the size limit, which git held',
    extra: 'truncate -s 11M large.dat',
    script: 'rm large.dat',
    changed: ['large.dat'],
  },
  {
    name: 'a file past the size limit, held by git and only touched',
    extra: 'truncate -s 11M large.dat',
    script: 'touch large.dat',
    changed: [],
  },
  {
    name: 'a worktree that was filled anew by git',
    script: 'rm -r src docs; git checkout --quiet -- src; printf x > src/main.txt',
  },
];

takesBack(SCENARIOS.map((scenario) => ({ ...scenario, git: 'only' })));
