import { resolve } from 'node:path';
import { exists } from '../../fs/entries.ts';
import {
  displayText,
  type FileChange,
  type FileOrigins,
  type NamedPath,
  type Savepoint,
  selectedPath,
} from '../../index.ts';
import { shellWord } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs, flag } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withTimeline } from '../open-timeline.ts';
import { PAGER_OPTIONS, showPage } from '../pager.ts';
import { pathArguments } from '../path-arguments.ts';
import { HISTORY, printHistory, printWhy, WHY } from '../why-shapes.ts';
import { historyText, noLinesText, whyText } from '../why-text.ts';

export const why: Command = {
  name: 'why',
  arguments: 'FILE[:LINE]',
  summary: 'who wrote each line of a file: which prompt, agent and tool call, or you',
  details:
    'Says of each line of a file, as it is now, which prompt wrote it, and by which agent and tool call; or that\n' +
    'it was you, or that it was there before Savepoint. It needs no commits. FILE:LINE and FILE:FROM-TO ask about\n' +
    'some lines only. It follows renames, and a line that a rewind brought back belongs to whoever wrote it. An\n' +
    '"inferred" prompt ran the only commands of that time; where others ran as well, it is "shared". --history\n' +
    'lists what happened to the file, newest first, also if it is gone.',
  options: {
    history: flag('the changes of the file instead of its lines'),
    ...PAGER_OPTIONS,
  },
  examples: [
    ['savepoint why src/app.ts', 'every line, in groups of one origin'],
    ['savepoint why src/app.ts:42', 'one line'],
    ['savepoint why src/app.ts:40-60 --json', 'some lines, for a program'],
    ['savepoint why src/app.ts --history', 'the life of the file'],
  ],
  completes: ['path'],
  json: { why: WHY, 'why-history': HISTORY },
  run: async (call) => {
    const [typed = ''] = expectArgs(call, 'why', 1, 1);
    if (!call.flags.has('history')) {
      return showLines(call, await withTimeline(call, (savepoint) => ask(call, savepoint, typed)));
    }
    const { file, history } = await withTimeline(call, async (savepoint) => {
      await savepoint.scanAgain();
      const file = fileArgument(call, savepoint, typed);
      return {
        file: selectedPath(savepoint.root, file),
        history: await savepoint.fileHistory(file),
      };
    });
    printHistory(call, file, history);
    await showPage(call, call.json ? [] : historyText(call, typed, history));
    return history.length === 0 ? EXIT.notFound : EXIT.done;
  },
};

interface Answer {
  readonly typed: string;
  readonly found: FileOrigins;
  /** The newest change, where there is no file to ask about. */
  readonly last: FileChange | null;
  /** Whether the answer is about some lines only. */
  readonly isPart: boolean;
}

async function ask(call: Call, savepoint: Savepoint, typed: string): Promise<Answer> {
  const { name, lines } = await withoutLines(call, savepoint, typed);
  // So that what was done since the last scan has an author as well.
  await savepoint.scanAgain();
  const path = fileArgument(call, savepoint, name);
  const found = await savepoint.why({ path, ...lines });
  const [last = null] = found.noLines === 'absent' ? await savepoint.fileHistory(path) : [];
  return { typed: name, found, last, isPart: lines !== null };
}

async function showLines(call: Call, answer: Answer): Promise<ExitCode> {
  const { found, typed, isPart, last } = answer;
  printWhy(call, found);
  if (found.noLines === null) {
    await showPage(call, call.json ? [] : whyText(call, found, isPart));
    call.hint(
      `see all that happened to the file with: savepoint why ${shellWord(displayText(typed))} --history`,
    );
    return EXIT.done;
  }
  for (const line of noLinesText(call, typed, found.noLines, last)) call.say(line);
  return found.noLines === 'absent' ? EXIT.notFound : EXIT.done;
}

const WITH_LINES = /^(.+):(\d{1,15})(?:-(\d{1,15}))?$/s;

/** The name without ":LINE" or ":FROM-TO"; a file that has such a name is meant whole. */
async function withoutLines(
  call: Call,
  savepoint: Savepoint,
  typed: string,
): Promise<{
  readonly name: string;
  readonly lines: { readonly first: number; readonly last: number } | null;
}> {
  const [, name, from, to = from] = WITH_LINES.exec(typed) ?? [];
  if (name === undefined || (await isFile(call, savepoint, typed))) {
    return { name: typed, lines: null };
  }
  const lines = { first: Number(from), last: Number(to) };
  if (lines.first < 1 || lines.last < lines.first) {
    throw new UsageError(
      `"${displayText(typed)}" names no lines: they count from 1, the first one first`,
    );
  }
  return { name, lines };
}

async function isFile(call: Call, savepoint: Savepoint, typed: string): Promise<boolean> {
  if (exists(resolve(call.io.cwd, typed))) return true;
  const path = selectedPath(savepoint.root, fileArgument(call, savepoint, typed));
  return (await savepoint.changes({ paths: [path] })).length > 0;
}

function fileArgument(call: Call, savepoint: Savepoint, typed: string): NamedPath {
  const [path] = pathArguments(call, savepoint.root, [typed]) ?? [];
  if (path === undefined) throw new UsageError('this is the project itself; name a file in it');
  return path;
}
