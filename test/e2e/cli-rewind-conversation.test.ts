import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Conversation, OwnerRequest } from '../../src/index.ts';
import { CliProject } from './cli-project.ts';
import { removeScratch } from './scratch.ts';

// Gemini's conversations are files alone, so that these tests need no agent. test/agents has the real ones.

const ID = '11111111-2222-4333-8444-555555555555';
const CHAT = [
  { sessionId: ID, projectHash: 'x', kind: 'main' },
  { id: 'm1', timestamp: '2026-01-01T10:00:00Z', type: 'user', content: [{ text: 'add a file' }] },
  { id: 'm2', timestamp: '2026-01-01T10:00:05Z', type: 'gemini', content: 'done' },
  { $set: { sessionId: ID, lastUpdated: '2026-01-01T10:00:06Z' } },
  { id: 'm3', timestamp: '2026-01-01T10:01:00Z', type: 'user', content: [{ text: 'change it' }] },
  { id: 'm4', timestamp: '2026-01-01T10:01:05Z', type: 'gemini', content: 'changed' },
  { id: 'm5', timestamp: '2026-01-01T10:02:00Z', type: 'user', content: [{ text: 'change it' }] },
];

let project: CliProject;
let chats: string;
let chat: string;

beforeEach(() => {
  project = new CliProject({ 'a.txt': 'a\n' });
  chats = join(project.scratch, 'user', 'chats');
  chat = join(chats, 'session-2026-01-01T10-00-11111111.jsonl');
  project.write('../user/chats/session-2026-01-01T10-00-11111111.jsonl', textOf(CHAT));
});

afterEach(() => removeScratch(project.scratch));

function textOf(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

interface Prompt {
  readonly agent?: string;
  readonly conversation?: Partial<Conversation>;
  readonly owner?: OwnerRequest;
}

/** A prompt at which the agent changes `a.txt`; gives the id of its checkpoint. */
async function prompt(text: string, at: string, more: Prompt = {}): Promise<string> {
  const { agent = 'gemini', owner, conversation } = more;
  return project.openAt(Date.parse(at), async (savepoint) => {
    const named = { sessionId: 'g1', messageId: at, agent, description: text };
    const { id } = await savepoint.checkpoint({
      ...named,
      owner,
      conversation: {
        id: ID,
        promptId: null,
        turnId: null,
        transcriptPath: chat,
        ...conversation,
      },
    });
    const capture = await savepoint.captureBefore({ ...named, paths: ['a.txt'] });
    project.write('a.txt', `${text}, ${at}\n`);
    await savepoint.captureAfter(capture);
    return id;
  });
}

function forks(): string[] {
  return readdirSync(chats).filter((name) => !name.includes('11111111'));
}

describe('savepoint rewind --conversation', () => {
  it('takes the files back and copies the conversation up to the prompt', async () => {
    await prompt('add a file', '2026-01-01T10:00:00Z');
    const second = await prompt('change it', '2026-01-01T10:01:00Z');
    await prompt('change it', '2026-01-01T10:02:00Z');

    const { code, out } = await project.run(['rewind', second, '--conversation', '--yes']);

    expect(code).toBe(0);
    expect(project.read('a.txt')).toBe('add a file, 2026-01-01T10:00:00Z\n');
    expect(readFileSync(chat, 'utf8')).toBe(textOf(CHAT));
    const [, id = ''] = /gemini --resume (\S+)/.exec(out) ?? [];
    const [copy = ''] = forks();
    expect(copy).toContain(id.slice(0, 8));
    expect(readFileSync(join(chats, copy), 'utf8')).toBe(
      textOf(CHAT.slice(0, 4)).replaceAll(ID, id),
    );
  });

  it('copies the conversation also where the files are back already', async () => {
    await prompt('add a file', '2026-01-01T10:00:00Z');
    const second = await prompt('change it', '2026-01-01T10:01:00Z');
    await project.run(['rewind', second, '--yes']);

    const { code, out } = await project.run(['rewind', second, '--conversation', '--json']);

    expect(code).toBe(0);
    const { operationId, conversation } = JSON.parse(out);
    expect(operationId).toBeNull();
    expect(conversation.command).toEqual(['gemini', '--resume', conversation.id]);
    expect(forks()).toHaveLength(1);
  });

  it('has nothing to copy before the first prompt, and says how to begin anew', async () => {
    const first = await prompt('add a file', '2026-01-01T10:00:00Z');
    const { out } = await project.run(['rewind', first, '--conversation', '--yes']);
    expect(out).toMatch(/with: gemini$/m);
    expect(forks()).toEqual([]);
  });

  it('copies nothing with --dry-run', async () => {
    const second = await prompt('change it', '2026-01-01T10:01:00Z');
    const { out } = await project.run(['rewind', second, '--conversation', '--dry-run', '--json']);
    expect(JSON.parse(out)).toMatchObject({ dryRun: true, conversation: null });
    expect(forks()).toEqual([]);
  });

  it.each<[string, Prompt, string]>([
    ['while the agent runs', { owner: { processId: process.pid } }, 'still running'],
    ['of an agent that has no way to do it', { agent: 'somebody' }, 'no way'],
    ['where it is gone', { conversation: { transcriptPath: '/gone.jsonl' } }, 'no longer has it'],
    ['where no agent told of one', { conversation: { transcriptPath: null } }, 'no longer has it'],
  ])('is refused %s, and no file goes back', async (_name, more, why) => {
    const second = await prompt('change it', '2026-01-01T10:01:00Z', more);
    const { code, err } = await project.run(['rewind', second, '--conversation', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain(why);
    expect(project.read('a.txt')).toBe('change it, 2026-01-01T10:01:00Z\n');
    expect(forks()).toEqual([]);
  });
});
