import { randomUUID } from 'node:crypto';
import {
  type ForkConversation,
  folderOf,
  notForked,
  readTranscript,
  runAgent,
} from '../fork-conversation.ts';

/**
 * The transcript says behind which row the prompt stands. Claude Code itself forks there when it is asked
 * for something that needs no model, and only without a terminal: at one it ignores `--resume-session-at`.
 */
export const forkClaudeCode: ForkConversation = async ({ conversation, project, env }) => {
  const { id, promptId, transcriptPath } = conversation;
  if (id === null || promptId === null || !UUID.test(id)) throw notForked('its prompt has no id');
  const rows = readTranscript(transcriptPath).flatMap(({ row }) => (row === null ? [] : [row]));
  const first = rows.find((row) => row.promptId === promptId);
  if (first === undefined) throw notForked('the prompt is not in the transcript');
  const { parentUuid, cwd } = first;
  // Claude Code finds a session only in the folder in which it began.
  const folder = folderOf(cwd, project);
  if (parentUuid === null) return { id: null, command: ['claude'], folder };
  if (typeof parentUuid !== 'string' || !UUID.test(parentUuid)) {
    throw notForked('its transcript has another form than Savepoint knows');
  }
  const forkId = randomUUID();
  await runAgent({
    program: 'claude',
    args: [
      ...['-p', '/rename rewound'],
      ...['--resume', id, '--resume-session-at', parentUuid],
      ...['--fork-session', '--session-id', forkId],
      // Neither hooks nor servers of anybody's settings: this is not a prompt of the person.
      ...['--setting-sources', '', '--strict-mcp-config'],
    ],
    project,
    folder,
    env,
    variables: ['ANTHROPIC_', 'CLAUDE_', 'AWS_', 'GOOGLE_', 'IS_SANDBOX', 'DISABLE_'],
  });
  return { id: forkId, command: ['claude', '--resume', forkId], folder };
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
