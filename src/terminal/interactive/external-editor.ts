import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeScratchFolder, removeTree } from '../../fs/entries.ts';
import { findProgram } from '../../fs/find-program.ts';
import { readFile } from '../../fs/read-file.ts';
import { writeNewFile } from '../../fs/write-file.ts';

export interface EditRequest {
  readonly text: string;
  /** What the file is called; its ending tells the editor what is in it. */
  readonly fileName: string;
  /** Of the person: `VISUAL`, `EDITOR` and `PATH` name the program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** No program from there is run: whoever writes to a project does not choose the editor. */
  readonly project: string;
  /** Has signals that come meanwhile passed to the editor. */
  readonly during?: PassSignals | undefined;
}

export type PassSignals = <T>(
  work: () => Promise<T>,
  pass: (signal: NodeJS.Signals) => void,
) => Promise<T>;

/** The text as it was saved, or in one line why there is none. */
export type EditedText = { readonly text: string } | { readonly problem: string };

const LONGEST_TEXT = 16 * 1024 * 1024;
/** Where nothing is set, as git and crontab have it. */
const USUAL = 'vi';

/**
 * Has a text edited in the person's own editor, in a file that nobody else can read and that is removed
 * afterwards. The caller has given the terminal back before.
 */
export async function editText(request: EditRequest): Promise<EditedText> {
  const editor = editorOf(request);
  if ('problem' in editor) return editor;
  const folder = makeScratchFolder(tmpdir(), 'claude-replica-edit-');
  const remove = (): void => removeTree(folder);
  process.once('exit', remove);
  try {
    const file = join(folder, request.fileName);
    writeNewFile(file, Buffer.from(request.text), 0o600);
    const failure = await run(editor, file, request);
    if (failure !== null) return { problem: `${failure}: the text is as it was` };
    const { bytes } = readFile(file, { maxBytes: LONGEST_TEXT });
    if (bytes === null) return { problem: 'the editor left no file: the text is as it was' };
    // Editors end a file with a line break.
    return { text: bytes.toString('utf8').replace(/\r?\n$/, '') };
  } finally {
    process.off('exit', remove);
    remove();
  }
}

interface Editor {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
}

function editorOf({ env, project }: EditRequest): Editor | { readonly problem: string } {
  const set = [env.VISUAL, env.EDITOR].find((one) => one !== undefined && one.trim() !== '');
  const [name, ...args] = wordsOf(set ?? USUAL) ?? [];
  if (name === undefined) return { problem: 'VISUAL or EDITOR has a quote that does not end' };
  if (name.includes('/')) return { name, file: name, args };
  const found = findProgram(name, env.PATH, project);
  if (found !== null) return { name, file: found.file, args };
  const hint = set === undefined ? 'set VISUAL or EDITOR' : 'VISUAL and EDITOR name the editor';
  return { problem: `there is no program ${name}; ${hint}` };
}

/** Null when it went well. */
function run(
  { name, file, args }: Editor,
  edited: string,
  { env, during = (work) => work() }: EditRequest,
): Promise<string | null> {
  // Some programs are several, and go by the name that they are called by.
  const options = { argv0: name, env: { ...env }, stdio: 'inherit' } as const;
  const child = spawn(file, [...args, edited], options);
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(`${basename(name)} did not start (${message})`));
    child.once('close', (code, signal) => {
      resolve(code === 0 ? null : `${basename(name)} ended with ${code ?? signal}`);
    });
  });
  // Ctrl-C at the terminal reaches the editor by itself.
  return during(
    () => ended,
    (signal) => void (signal === 'SIGINT' || child.kill(signal)),
  );
}

const WORD = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)\s*/sy;
const QUOTED = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;

/**
 * The words of a command, quoted as in a shell. Nothing else is done that a shell does: no variable, no
 * pattern, no other command. Null where a quote does not end.
 */
export function wordsOf(command: string): string[] | null {
  const words: string[] = [];
  const rest = command.trim();
  WORD.lastIndex = 0;
  while (WORD.lastIndex < rest.length) {
    const word = WORD.exec(rest)?.[1];
    if (word === undefined) return null;
    words.push(
      word.replace(QUOTED, (_all, escaped, double, single) => {
        if (double !== undefined) return double.replace(/\\(["\\$`])/g, '$1');
        return single ?? escaped;
      }),
    );
  }
  return words;
}
