/** A small project with one entry of each kind that a scan has to get right. */
export const PLANT: string = String.raw`
mkdir -p src/deep/er docs empty 'with space' tools $'odd\xff'
printf 'one\ntwo\nthree\nfour\nfive\n' > src/main.txt
printf 'alpha\nbeta\n' > src/other.txt
printf '\x00\x01\xff\xfe\x00binary' > src/data.bin
printf 'nested\n' > src/deep/er/leaf.txt
: > docs/empty.txt
printf 'words\n' > docs/guide.md
printf '#!/bin/sh\necho ran\n' > tools/run.sh; chmod 755 tools/run.sh
printf 'private\n' > tools/key; chmod 600 tools/key
printf 'spaced\n' > 'with space/a file.txt'
printf 'lines\n' > $'new\nline.txt'
printf 'round\n' > $'\U1F388 balloon.txt'
printf 'latin\n' > $'caf\xe9.txt'
printf 'inside\n' > $'odd\xff/inside.txt'
ln -s src/main.txt link
ln -s src folder-link
ln -s nowhere dangling
ln -s ../src/other.txt docs/up
printf 'local.env\nout/\n' > .gitignore
mkdir -p out node_modules/pkg
printf 'made\n' > out/made.o
printf 'logged\n' > local.env
printf 'installed\n' > node_modules/pkg/index.js
`;

/** What is left out of the planted tree. `local.env` is ignored too, and kept because it is small. */
export function isIgnored(path: string): boolean {
  return isAtOrBelow(path, 'out') || isAtOrBelow(path, 'node_modules');
}

/** Git's own folder, of the project or a nested repository: never ours to touch. */
export function isGits(path: string): boolean {
  return path.split('/').includes('.git');
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
