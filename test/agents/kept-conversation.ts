import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RealAgent } from './real/real-agent.ts';

const FOLDERS: Readonly<Record<string, string>> = {
  'claude-code': '.claude/projects',
  codex: '.codex/sessions',
  gemini: '.gemini/tmp',
};

/** All that an agent keeps of a conversation: its files by their names, or the rows of its database. */
export function keptConversation({ name }: RealAgent, home: string, id: string): object {
  const folder = FOLDERS[name];
  if (folder === undefined) return rowsOf(join(home, '.local/share/opencode/opencode.db'), id);
  const names = readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' });
  // Gemini names a file after the beginning of the id.
  const part = name === 'gemini' ? id.slice(0, 8) : id;
  const files = names.filter((file) => file.includes(part) && file.endsWith('.jsonl'));
  if (files.length === 0) throw new Error(`${name} keeps no file of ${id}`);
  const contents = files.map((file) => [file, readFileSync(join(home, folder, file), 'latin1')]);
  return Object.fromEntries(contents);
}

function rowsOf(file: string, id: string): object {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = ['message', 'part'].map((table) =>
      database.prepare(`SELECT * FROM ${table} WHERE session_id = ? ORDER BY id`).all(id),
    );
    return { session: database.prepare('SELECT * FROM session WHERE id = ?').all(id), rows };
  } finally {
    database.close();
  }
}
