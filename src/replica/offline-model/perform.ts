import { resolve } from 'node:path';
import { useTool as call, type ReplyBlock, type ToolResult } from '../../messages-server/index.ts';
import { shellWord } from '../../terminal/phrases.ts';
import { withoutModelText } from '../tools/tool-outcome.ts';
import type { PlainRequest } from './requests.ts';

export interface Outcome {
  readonly done: boolean;
  readonly kind?: 'asked-for-help' | 'not-understood';
  /** Markdown. */
  readonly text: string;
}

/** The tool calls of a request, one after the other; each is answered with its result. */
export type Performance = Generator<ReplyBlock, Outcome, ToolResult>;

export function perform(request: PlainRequest, project: string): Performance {
  switch (request.kind) {
    case 'write':
      return write(resolve(project, request.file), request.file, lines(request.text));
    case 'append':
      return append(resolve(project, request.file), request.file, lines(request.text));
    case 'replace':
      return replace(resolve(project, request.file), request);
    case 'run':
      return run(request.command);
    case 'delete':
      return remove(request.file);
    case 'read':
      return read(resolve(project, request.file), request.file);
    case 'todo':
      return todo(request.items);
    case 'unknown':
      return refuse(request.text);
  }
}

function* write(path: string, name: string, content: string): Performance {
  let result = yield call('Write', { file_path: path, content });
  if (result.isError && UNREAD.test(result.text)) {
    yield call('Read', { file_path: path });
    result = yield call('Write', { file_path: path, content });
  }
  return outcome(result, `Wrote ${code(name)}.`, `I could not write ${code(name)}`);
}

/** Most models may not write a file that is there before they have read it. */
const UNREAD = /not been read|read it first/i;

function* append(path: string, name: string, added: string): Performance {
  const before = yield call('Read', { file_path: path });
  if (before.isError) return yield* write(path, name, added);
  const old = fileText(before.text);
  if (old === '') return yield* write(path, name, added);
  if (old !== null) {
    const joint = old.endsWith('\n') ? '' : '\n';
    const edit = { file_path: path, old_string: old, new_string: `${old}${joint}${added}` };
    const result = yield call('Edit', edit);
    if (!result.isError) return { done: true, text: `Appended to ${code(name)}.` };
  }
  // What cannot be shown whole is not edited by what was shown of it.
  const file = shellWord(path);
  const joint = `[ -z "$(tail -c 1 ${file})" ] || echo`;
  const command = `{ ${joint}; printf '%s' ${shellWord(added)}; } >> ${file}`;
  const result = yield call('Bash', { command, description: `Append to ${name}` });
  return outcome(result, `Appended to ${code(name)}.`, `I could not append to ${code(name)}`);
}

function* replace(
  path: string,
  { file, from, to }: Extract<PlainRequest, { kind: 'replace' }>,
): Performance {
  const before = yield call('Read', { file_path: path });
  if (before.isError) return outcome(before, '', `I could not read ${code(file)}`);
  const edit = { file_path: path, old_string: from, new_string: to, replace_all: true };
  const result = yield call('Edit', edit);
  return outcome(
    result,
    `Replaced ${code(from)} in ${code(file)}.`,
    `I could not change ${code(file)}`,
  );
}

function* run(command: string): Performance {
  const result = yield call('Bash', { command, description: 'Run what was asked for' });
  const printed = withoutModelText(result.text).replace(NO_OUTPUT, '');
  const ran =
    printed === '' ? `Ran ${code(command)}.` : `Ran ${code(command)}:\n\n${block(printed)}`;
  return outcome(result, ran, `${code(command)} failed`);
}

/** What the tool says in place of nothing. */
const NO_OUTPUT = /^\(Bash completed with no output\)$/;

function* remove(name: string): Performance {
  const command = `rm ${/[\\/]$/.test(name) ? '-r ' : ''}-- ${shellWord(name)}`;
  const result = yield call('Bash', { command, description: `Delete ${name}` });
  return outcome(result, `Deleted ${code(name)}.`, `I could not delete ${code(name)}`);
}

function* read(path: string, name: string): Performance {
  const result = yield call('Read', { file_path: path });
  const [, language = ''] = /\.(\w+)$/.exec(name) ?? [];
  const text = `${code(name)}:\n\n${block(shownFile(result.text), language)}`;
  return outcome(result, text, `I could not read ${code(name)}`);
}

/** Which tool keeps the list depends on how the agent was started. */
function* todo(items: readonly string[]): Performance {
  const todos = items.map((content) => ({ content, status: 'pending', activeForm: content }));
  const done: Outcome = { done: true, text: `Noted ${items.length} things to do.` };
  if (!(yield call('TodoWrite', { todos })).isError) return done;
  for (const subject of items) {
    const result = yield call('TaskCreate', { subject, description: subject });
    if (result.isError) return outcome(result, '', 'I have no list of things to do here');
  }
  return done;
}

// biome-ignore lint/correctness/useYield: no tool helps with it
function* refuse(text: string): Performance {
  const greets = /^(help|hello|hi|hey)\b|^你好/i.test(text);
  return greets
    ? { done: false, kind: 'asked-for-help', text: 'Hello.' }
    : { done: false, kind: 'not-understood', text: `I did not understand “${text}”.` };
}

function outcome({ isError, text }: ToolResult, done: string, failed: string): Outcome {
  if (!isError) return { done: true, text: done };
  if (REFUSED.test(text)) return { done: false, text: `${failed}: you said no.` };
  return { done: false, text: `${failed}:\n\n${block(withoutModelText(text))}` };
}

/** How the agent tells a model that the person refused; it is not meant for people. */
const REFUSED = /^(The user doesn't want to|Permission to use|The user said no)/i;

/** As code within a line of Markdown, whatever it holds. */
function code(text: string): string {
  const marks = '`'.repeat(longestRun(text) + 1);
  const gap = /^`|`$/.test(text) ? ' ' : '';
  return `${marks}${gap}${text}${gap}${marks}`;
}

function block(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

/** A text file ends with a newline. */
function lines(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** What the Read tool shows has a number and a tab (or an arrow) before each line. */
const NUMBERED = /^ *(\d+)[\t→](.*)$/;

/**
 * The text of a file that the Read tool showed; null where it was not shown from the first line on, or is so
 * long that it may not be whole.
 */
export function fileText(shown: string): string | null {
  const body = withoutNotes(shown);
  if (body === '') return '';
  const lines = body.split('\n').map((line) => NUMBERED.exec(line));
  const isWhole = lines.every((line, at) => line !== null && Number(line[1]) === at + 1);
  if (!isWhole || body.length > MAX_LENGTH) return null;
  return lines.map((line) => line?.[2] ?? '').join('\n');
}

/** For people: without the numbers, and of a long one the beginning. */
export function shownFile(shown: string): string {
  const lines = withoutNotes(shown).split('\n');
  const texts = lines.map((line) => NUMBERED.exec(line)?.[2] ?? line);
  // The end of the text after the last newline has a number of its own.
  if (texts.at(-1) === '' || texts.at(-1)?.trim() === String(texts.length)) texts.pop();
  if (texts.length === 0) return '(empty)';
  return texts.length <= SHOWN ? texts.join('\n') : [...texts.slice(0, SHOWN), '…'].join('\n');
}

/** The tool shortens lines and files that are longer than it likes; far below that it does not. */
const MAX_LENGTH = 1500;
const SHOWN = 40;

function withoutNotes(shown: string): string {
  return shown.replace(/\n*<system-reminder>[\s\S]*?<\/system-reminder>\n*/g, '');
}
