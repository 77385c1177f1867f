import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { readFileOrNull } from '../../fs/read-file.ts';
import { writeFile } from '../../fs/write-file.ts';
import {
  type ForkConversation,
  folderOf,
  type Line,
  notForked,
  type Row,
  readTranscript,
} from '../fork-conversation.ts';

/**
 * Gemini appends every message to one file, so the beginning of the file is the conversation as it was. The
 * copy needs an id of its own: with the old one Gemini removes the original.
 */
export const forkGemini: ForkConversation = async ({ conversation, prompt, sentAt, project }) => {
  const { transcriptPath } = conversation;
  const lines = readTranscript(transcriptPath);
  const chats = dirname(String(transcriptPath));
  // Gemini finds a session only in the folder in which it began, and keeps the name of that folder there.
  const kept = readFileOrNull(join(dirname(chats), '.project_root'), { maxBytes: 4096 });
  const folder = folderOf(kept?.toString('utf8').trim(), project);
  const at = lineOfPrompt(lines, prompt, sentAt);
  if (at === null) throw notForked('the prompt is not in the chat file');
  const earlier = lines.slice(0, at);
  if (!earlier.some(({ row }) => row?.type === 'user')) {
    return { id: null, command: ['gemini'], folder };
  }
  const id = randomUUID();
  const text = earlier.map((line) => `${withId(line, id)}\n`).join('');
  // The name as Gemini itself makes it; it looks for sessions beside the original.
  const minute = new Date().toISOString().slice(0, 16).replace(':', '-');
  const name = `session-${minute}-${id.slice(0, 8)}.jsonl`;
  writeFile(join(chats, name), Buffer.from(text), { onlyNew: true });
  return { id, command: ['gemini', '--resume', id], folder };
};

/**
 * Gemini's hooks name no prompt, so the text and the time tell which one is meant: of the messages that say the
 * same, the one that was written nearest to when the hook ran.
 */
function lineOfPrompt(lines: readonly Line[], prompt: string, sentAt: number): number | null {
  let nearest: { at: number; distance: number } | null = null;
  for (const [at, { row }] of lines.entries()) {
    if (row?.type !== 'user' || !isAbout(textOf(row), prompt)) continue;
    const distance = Math.abs(Date.parse(String(row.timestamp)) - sentAt);
    if (nearest === null || distance < nearest.distance) nearest = { at, distance };
  }
  return nearest?.at ?? null;
}

/** A description of a checkpoint can be shorter than the prompt, and the agent can add to the prompt. */
function isAbout(text: string, prompt: string): boolean {
  const said = text.trim();
  const wanted = prompt.trim();
  return said.includes(wanted) || (said !== '' && wanted.startsWith(said));
}

function textOf({ content }: Row): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: Row) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

/** The line, with the id of the copy where it says one. */
function withId({ text, row }: Line, id: string): string {
  if (typeof row?.sessionId === 'string') return JSON.stringify({ ...row, sessionId: id });
  const set = row?.$set as Row | undefined;
  if (typeof set?.sessionId !== 'string') return text;
  return JSON.stringify({ ...row, $set: { ...set, sessionId: id } });
}
