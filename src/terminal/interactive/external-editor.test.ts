import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EditedText, editText, wordsOf } from './external-editor.ts';

let scratch: string;
let project: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'editor-'));
  project = join(scratch, 'project');
  mkdirSync(project);
  program(
    scratch,
    'ed it',
    'stat -c %a "$2" > "$1"; stat -c %a "$(dirname "$2")" >> "$1"; echo "$2" >> "$1"; echo more >> "$2"',
  );
  program(scratch, 'fails', 'echo changed > "$1"; exit 3');
  program(scratch, 'removes', 'rm "$1"');
  program(project, 'planted', 'echo planted > "$1"');
});
afterAll(() => rmSync(scratch, { recursive: true }));

function program(folder: string, name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

function edit(env: Record<string, string>): Promise<EditedText> {
  const PATH = `${project}:${scratch}:/usr/bin:/bin`;
  return editText({ text: 'text\n', fileName: 'prompt.md', env: { PATH, ...env }, project });
}

it('gives back what was saved, in a private file that is gone afterwards', async () => {
  const told = join(scratch, 'told');
  expect(await edit({ VISUAL: `'ed it' "${told}"`, EDITOR: 'fails' })).toEqual({
    text: 'text\nmore',
  });
  const [mode, folderMode, path = ''] = readFileSync(told, 'utf8').split('\n');
  expect([mode, folderMode]).toEqual(['600', '700']);
  expect(path.endsWith('/prompt.md')).toBe(true);
  expect(readdirSync(join(path, '../..'))).not.toContain(path.split('/').at(-2));
});

it.each([
  ['fails', 'fails ended with 3: the text is as it was'],
  ['removes', 'the editor left no file: the text is as it was'],
  ['planted', 'there is no program planted; VISUAL and EDITOR name the editor'],
  ['/nowhere/vi -n', 'vi did not start (spawn /nowhere/vi ENOENT): the text is as it was'],
  ['"vi', 'VISUAL or EDITOR has a quote that does not end'],
])('says in one line why %j gave no text', async (EDITOR, problem) => {
  expect(await edit({ EDITOR, VISUAL: ' ' })).toEqual({ problem });
});

it.each([
  ['code --wait', ['code', '--wait']],
  [`  "/My Editor/x" -c 'set tw=72' a\\ b`, ['/My Editor/x', '-c', 'set tw=72', 'a b']],
  ['vi $(rm -rf /); `x` *', ['vi', '$(rm', '-rf', '/);', '`x`', '*']],
  [`a"b 'c'"d 'e "f'`, ["ab 'c'd", 'e "f']],
  [`"a \\"b\\" \\n"`, ['a "b" \\n']],
  ["it's", null],
])('takes the words of %j as a shell would, and runs nothing', (command, words) => {
  expect(wordsOf(command)).toEqual(words);
});
