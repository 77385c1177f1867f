import { displayText, isSavepointError } from '../../index.ts';

/** What an error says, in one line that is safe to show, with the path that it is about. */
export function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const about = isSavepointError(error) && error.path !== undefined ? `: ${error.path}` : '';
  const line = `${message}${about}`.replace(/\s*[\r\n]+\s*/g, ' ').trim();
  return line === '' ? 'it does not say why' : displayText(line);
}
