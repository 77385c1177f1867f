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
  if (texts.at(-1) === '') texts.pop();
  if (texts.length === 0) return '(empty)';
  return texts.length <= SHOWN ? texts.join('\n') : [...texts.slice(0, SHOWN), '…'].join('\n');
}

/** The tool shortens lines and files that are longer than it likes; far below that it does not. */
const MAX_LENGTH = 1500;
const SHOWN = 40;

function withoutNotes(shown: string): string {
  return shown.replace(/\n*<system-reminder>[\s\S]*?<\/system-reminder>\n*/g, '');
}
