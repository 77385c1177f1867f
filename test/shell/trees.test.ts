import { takesBack } from './scenario.ts';

takesBack([
  {
    name: 'an installer that writes hundreds of files',
    script: `
      for p in $(seq 40); do
        mkdir -p vendor/pkg$p/lib
        printf '{"name":"pkg%s"}\\n' $p > vendor/pkg$p/package.json
        for f in 1 2 3 4 5 6 7; do printf 'module %s of %s\\n' $f $p > vendor/pkg$p/lib/$f.js; done
        ln -s ../pkg1/lib vendor/pkg$p/shared
      done`,
  },
  {
    name: 'an update that replaces hundreds of files',
    extra: `
      mkdir vendor
      for f in $(seq 200); do printf 'old %s\\n' $f > vendor/$f.js; done`,
    script: `
      rm -r vendor; mkdir vendor
      for f in $(seq 50 250); do printf 'new %s\\n' $f > vendor/$f.js; done`,
  },
  {
    name: 'a tree sixty folders deep',
    script: `
      deep=$(printf 'folder/%.0s' $(seq 60))
      mkdir -p "deep/$deep"; printf bottom > "deep/\${deep}file"; printf middle > deep/folder/folder/file`,
  },
  {
    name: 'edits and deletions in a tree sixty folders deep',
    extra: `
      deep=$(printf 'folder/%.0s' $(seq 60))
      mkdir -p "deep/$deep"; printf bottom > "deep/\${deep}file"; printf other > "deep/\${deep}other"`,
    script: `
      deep=$(printf 'folder/%.0s' $(seq 60))
      printf changed > "deep/\${deep}file"; rm "deep/\${deep}other"; mv deep/folder deep/renamed`,
  },
  {
    name: 'a path of more than two thousand bytes',
    script: `
      name=$(printf '%0200d' 0)
      for i in 1 2 3 4 5 6 7 8 9 10; do mkdir $name; cd $name; done; printf end > file`,
  },
  {
    name: 'a build that writes, renames and deletes',
    script: `
      mkdir -p obj bin
      for f in main other; do tr a-z A-Z < src/$f.txt > obj/$f.o.tmp; mv obj/$f.o.tmp obj/$f.o; done
      cat obj/*.o > bin/program; chmod 755 bin/program; rm -r obj`,
    changed: ['bin', 'bin/program'],
  },
  {
    name: 'an archive that was unpacked over the tree',
    extra: `
      mkdir -p "$HOME/a/src/deep" "$HOME/a/fresh"
      printf 'packed\\n' > "$HOME/a/src/main.txt"; printf 'packed\\n' > "$HOME/a/fresh/file"
      ln -s main.txt "$HOME/a/src/alias"; chmod 700 "$HOME/a/src/deep"
      tar -C "$HOME/a" -cf "$HOME/a.tar" .`,
    script: 'tar -xf "$HOME/a.tar"',
  },
  {
    name: 'a project that was packed and removed',
    script: 'tar -cf packed.tar src docs; rm -r src docs',
  },
  {
    name: 'a generator that fills empty folders and empties full ones',
    script: `
      printf x > empty/x; mkdir -p empty/a/b/c
      rm docs/*; mkdir -p new/only/folders`,
  },
  {
    name: 'a formatter that rewrites every text file',
    script: `find . -path ./.git -prune -o -type f -name '*.txt' -exec sed -i 's/^/  /' {} +`,
  },
  {
    name: 'a file of several megabytes that changed by one byte',
    extra: 'seq 400000 > large.dat',
    script: 'printf X | dd of=large.dat bs=1 seek=1500000 conv=notrunc status=none',
    changed: ['large.dat'],
  },
  {
    name: 'edits in a nested repository, its own .git aside',
    extra: `
      mkdir module; cd module; git init --quiet --template= .
      printf x > file; git add file; git commit --quiet --message nested; cd ..`,
    script: 'cd module; printf y > file; git commit --quiet --all --message more; printf z > new',
    git: 'never',
    changed: ['module/file', 'module/new'],
  },
]);
