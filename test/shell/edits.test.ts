import { takesBack } from './scenario.ts';

takesBack([
  {
    name: 'an edit by sed -i, which renames a new file over the old one',
    script: "sed -i 's/two/TWO/' src/main.txt",
    changed: ['src/main.txt'],
  },
  {
    name: 'edits to many files by find and sed',
    script: "find src -name '*.txt' -exec sed -i 's/e/E/g' {} +",
    changed: ['src/deep/er/leaf.txt', 'src/main.txt', 'src/other.txt'],
  },
  {
    name: 'an edit by perl -i that leaves a backup beside it',
    script: "perl -i.orig -pe 's/beta/gamma/' src/other.txt",
    changed: ['src/other.txt', 'src/other.txt.orig'],
  },
  {
    name: 'an edit by ed, which writes into the same file',
    script: "printf '1d\\nw\\nq\\n' | ed -s src/main.txt",
    changed: ['src/main.txt'],
  },
  {
    name: 'an edit by a filter that writes its own input, as sponge does',
    script: 'text=$(tac src/main.txt); printf "%s\\n" "$text" > src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'an edit by an editor that moves the old file away and writes a new one',
    script: 'mv src/main.txt src/main.txt~; printf "new\\n" > src/main.txt',
    changed: ['src/main.txt', 'src/main.txt~'],
  },
  {
    name: 'an edit by a Python script',
    script: `python3 -c "
import pathlib
p = pathlib.Path('src/main.txt')
p.write_text(p.read_text().upper())"`,
    changed: ['src/main.txt'],
  },
  {
    name: 'an edit by a Node script to a binary file',
    script: `node -e "
const fs = require('node:fs');
const bytes = fs.readFileSync('src/data.bin');
fs.writeFileSync('src/data.bin', bytes.reverse());"`,
    changed: ['src/data.bin'],
  },
  {
    name: 'a patch',
    script: `patch -p0 -s <<'END'
--- src/main.txt
+++ src/main.txt
@@ -1,3 +1,2 @@
 one
-two
 three
END`,
    changed: ['src/main.txt'],
  },
  {
    name: 'lines that were appended',
    script: 'printf "six\\n" >> src/main.txt; printf "more\\n" >> docs/empty.txt',
    changed: ['docs/empty.txt', 'src/main.txt'],
  },
  {
    name: 'a file that was emptied',
    script: ': > src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'a file that was cut short in the middle',
    script: 'truncate -s 7 src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'a file that was made longer by a hole',
    script: 'truncate -s 300K src/main.txt',
    changed: ['src/main.txt'],
  },
  {
    name: 'bytes that were overwritten in place',
    script: 'printf X | dd of=src/data.bin bs=1 seek=3 conv=notrunc status=none',
    changed: ['src/data.bin'],
  },
  {
    name: 'end-of-line characters that were converted',
    script: "sed -i 's/$/\\r/' src/main.txt docs/guide.md",
    changed: ['docs/guide.md', 'src/main.txt'],
  },
  {
    name: 'a write through a symbolic link',
    script: 'printf "through\\n" > link',
    changed: ['src/main.txt'],
  },
]);
