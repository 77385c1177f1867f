import { displayText } from '../../index.ts';
import { plural, relativeTime } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import type { CommandContext } from './command.ts';

const SHOWN = 20;
const SHOWN_ID = 8;

/** Newest first: the engine's, whose ids `/diff` and `/label` take, or the agent's own without it. */
export async function checkpointTable(context: CommandContext): Promise<string[]> {
  const { files, columns } = context;
  const rows = files === null ? ownRows(context) : await engineRows(context);
  const lines = table(rows.slice(0, SHOWN), columns);
  const more = rows.length - SHOWN;
  return more > 0 ? [...lines, `  and ${more} older; see them with: savepoint list`] : lines;
}

async function engineRows({ files, now }: CommandContext): Promise<string[][]> {
  const all = (await files?.checkpoints()) ?? [];
  return all
    .filter(({ kind }) => kind !== 'safety')
    .map(({ id, createdAt, files: changed, label, description }) => [
      id.slice(0, SHOWN_ID),
      relativeTime(createdAt, now()),
      plural(changed, 'file'),
      `${label === null ? '' : `[${displayText(label)}] `}${displayText(description)}`,
    ]);
}

function ownRows({ checkpoints, now }: CommandContext): string[][] {
  return (checkpoints?.listCheckpoints() ?? []).map(({ timestamp, description }) => [
    relativeTime(timestamp.getTime(), now()),
    displayText(description),
  ]);
}
