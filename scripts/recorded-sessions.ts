import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recordRewind, recordRuns } from './record-session.ts';
import { recordTwoMachines } from './record-two-machines.ts';

/** A document that shows what commands print at a terminal. Its first block of the kind is the recorded one. */
export interface RecordedSession {
  readonly document: string;
  readonly record: () => Promise<string>;
}

export const RECORDED: readonly RecordedSession[] = [
  { document: 'README.md', record: recordRewind },
  { document: 'docs/runs.md', record: recordRuns },
];

/** A server, two machines and an agent on each take their time: the campaigns compare it. */
export const ON_TWO_MACHINES: RecordedSession = {
  document: 'docs/postgres.md',
  record: recordTwoMachines,
};

const BLOCK = /```console\n([\s\S]*?)\n```/;

export function pathOf({ document }: RecordedSession): string {
  return fileURLToPath(new URL(`../${document}`, import.meta.url));
}

export function sessionIn(recorded: RecordedSession): string {
  return BLOCK.exec(readFileSync(pathOf(recorded), 'utf8'))?.[1] ?? '';
}

/** The text of the document with this session in it. */
export function documentWith(recorded: RecordedSession, session: string): string {
  const text = readFileSync(pathOf(recorded), 'utf8');
  return text.replace(BLOCK, () => `\`\`\`console\n${session}\n\`\`\``);
}
