import { randomUUID } from 'node:crypto';
import { runAgent } from '../agent-program.ts';
import { type ForkConversation, notForked } from '../fork-conversation.ts';
import { readTranscript } from '../transcript.ts';

/**
 * The transcript says behind which row the prompt stands. Claude Code itself forks there when it is asked
 * for something that needs no model, and only without a terminal: at one it ignores `--resume-session-at`.
 */
export const forkClaudeCode: ForkConversation = async ({ conversation, project, env }) => {
  const { id, promptId, transcriptPath } = conversation;
  if (id === null || promptId === null) throw notForked('its prompt has no id');
  const rows = readTranscript(transcriptPath).flatMap(({ row }) => (row === null ? [] : [row]));
  const first = rows.find((row) => row.promptId === promptId);
  if (first === undefined) throw notForked('the prompt is not in the transcript');
  const { parentUuid } = first;
  if (typeof parentUuid !== 'string') return { id: null, command: ['claude'] };
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
    env,
    variables: ['ANTHROPIC_', 'CLAUDE_', 'AWS_', 'GOOGLE_', 'IS_SANDBOX', 'DISABLE_'],
  });
  return { id: forkId, command: ['claude', '--resume', forkId] };
};
