import type { Paint } from '../../../terminal/paint.ts';
import { clipWidth } from '../../../terminal/text-width.ts';
import type {
  ListItem,
  PermissionAnswer,
  PermissionQuestion,
  RewindChoice,
  RewindPreview,
} from '../interactive-ui.ts';
import { wrapRows } from '../transcript/wrap-rows.ts';
import { type ChoiceDialog, type ChoiceOption, choiceDialog } from './choice-dialog.ts';

const CHOICES: Readonly<Record<RewindChoice, string>> = {
  files: 'files: put them back, the conversation goes on',
  conversation: 'conversation: go back in it, files stay as they are',
  both: 'both: files and conversation',
};

/** The plan and the diff, and what of it to take back. */
export function rewindChoice({ title, lines, choices }: RewindPreview): ChoiceDialog {
  const nothing = 'No file would change.';
  const body = (columns: number): readonly string[] =>
    lines.length === 0 ? wrapRows(nothing, columns) : lines;
  return choiceDialog({
    title,
    body,
    options: choices.map((one, i) => named(CHOICES[one], i + 1)),
  });
}

export function listOf(title: string, items: readonly ListItem[], paint: Paint): ChoiceDialog {
  const options = items.map(({ text }, i) => ({
    number: i + 1,
    rows: ({ columns }: { readonly columns: number }) => {
      const [name = [], ...more] = text.split('\n').map((line) => wrapRows(line, columns));
      return [...name, ...more.flat().map((row) => paint('dim', row))];
    },
  }));
  return choiceDialog({ title, options });
}

/** The answers to a permission question, by the number to type; the numbers do not move. */
const PERMISSIONS: readonly (readonly [PermissionAnswer, string, string?])[] = [
  ['once', 'Yes, this once', 'y'],
  ['always', 'Yes, and do not ask again'],
  ['no', 'No', 'n'],
];

export function permissionAnswers({ canRemember }: PermissionQuestion): PermissionAnswer[] {
  return PERMISSIONS.map(([answer]) => answer).filter((one) => one !== 'always' || canRemember);
}

export function permissionDialog(question: PermissionQuestion): ChoiceDialog {
  const answers = permissionAnswers(question);
  const options = PERMISSIONS.flatMap(([answer, name, letter], i) =>
    answers.includes(answer) ? [named(name, i + 1, letter)] : [],
  );
  // All of a command can be read before it is allowed: nothing of it is cut off.
  const body = (columns: number): string[] =>
    question.details.flatMap((line) => wrapRows(line, columns));
  return choiceDialog({ title: question.title, body, options });
}

/** Yes is the first answer; Enter alone says no. */
export function confirmDialog(question: string): ChoiceDialog {
  const [title = '', ...more] = question.split('\n');
  const body = (columns: number): string[] => more.flatMap((line) => wrapRows(line, columns));
  const options = [named('Yes', 1, 'y'), named('No', 2, 'n')];
  return choiceDialog({ title, body, options, selected: 1 });
}

function named(name: string, number: number, letter?: string): ChoiceOption {
  const rows = ({ columns }: { readonly columns: number }): string[] => [clipWidth(name, columns)];
  return letter === undefined ? { number, rows } : { number, letter, rows };
}
