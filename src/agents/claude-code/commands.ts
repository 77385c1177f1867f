import { join } from 'node:path';
import type { OwnFile } from '../agent-settings.ts';

interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** The arguments of `savepoint`. */
  readonly runs: string;
  /** The part of them that is allowed with whatever follows; left out, nothing but `runs` is allowed. */
  readonly allows?: string;
  /** What the model is to make of the output. */
  readonly task: string;
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code puts the id of the conversation there.
const REWIND = 'rewind --session ${CLAUDE_SESSION_ID} --yes';
// Permissions are not filled in, so they cannot name the conversation.
const REWINDS = 'rewind --session';

const COMMANDS: readonly SlashCommand[] = [
  {
    name: 'undo',
    description: 'Take back what the last prompt did to the files of this project',
    runs: REWIND,
    allows: REWINDS,
    task: 'Tell the person in one or two sentences what was taken back. If something was left because it is not certain who changed it, say that /savepoint:undo-all takes that back too. Read these files again before you change them. Do nothing else.',
  },
  {
    name: 'undo-all',
    description: 'The same, with changes that may be yours: for a command that was interrupted',
    runs: `${REWIND} --include-shared`,
    allows: REWINDS,
    task: 'Tell the person in one or two sentences what was taken back. Read these files again before you change them. Do nothing else.',
  },
  {
    name: 'list',
    description: 'Show the checkpoints of this project',
    runs: 'list --limit 20',
    task: 'Show this list to the person as it is. Do nothing else.',
  },
  {
    name: 'status',
    description: 'Show what Savepoint has on record here, and whether it records',
    runs: 'doctor',
    task: 'Show this to the person as it is. Do nothing else.',
  },
];

/**
 * A folder that Claude Code loads as a plug-in, for its commands alone (/savepoint:undo). The hooks are not in it:
 * see docs/decisions/2026-11-16-hooks-in-settings.md.
 */
export function commandFiles(folder: string, program: string): OwnFile[] {
  const manifest = {
    name: 'savepoint',
    version: '1.0.0',
    description: 'Undo for what agents do to your files',
  };
  return [
    {
      file: join(folder, '.claude-plugin', 'plugin.json'),
      content: `${JSON.stringify(manifest, null, 2)}\n`,
    },
    ...COMMANDS.map((command) => ({
      file: join(folder, 'commands', `${command.name}.md`),
      content: commandText(command, program),
    })),
  ];
}

/**
 * What is allowed lets the model run it, too: never `savepoint run`, which runs any program. Claude Code takes every
 * exit code but 0 for a failure and does not ask the model then, also where there was nothing to take back.
 */
function commandText({ description, runs, allows, task }: SlashCommand, program: string): string {
  const allowed = allows === undefined ? runs : `${allows}:*`;
  return `---
description: ${description}
allowed-tools: Bash(${program} ${allowed}), Bash(true)
disable-model-invocation: true
---

!\`${program} ${runs} || true\`

${task}
`;
}
