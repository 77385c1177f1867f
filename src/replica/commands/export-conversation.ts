import { relative, resolve } from 'node:path';
import { kindOf } from '../../fs/entries.ts';
import { writeFile } from '../../fs/write-file.ts';
import { displayText } from '../../index.ts';
import { toolLine } from '../tools/tool-line.ts';
import type { ConversationEntry } from '../ui/interactive-ui.ts';
import { CommandRefused, idleOnly, type SlashCommand, wholeText } from './command.ts';
import { fileNames } from './context-commands.ts';

export const exportCommand: SlashCommand = {
  name: 'export',
  usage: 'FILE',
  description: 'write the conversation into a file, as Markdown',
  complete: (args, { agent }) => fileNames(agent.session.project, args),
  async execute(args, context) {
    const { agent, ui } = context;
    // A file that appears beside the agent's work would count as its own, and go with a rewind.
    idleOnly(context);
    const { project } = agent.session;
    const file = resolve(project, wholeText(args, 'Into which file?'));
    const shown = displayText(relative(project, file) || file);
    const kind = kindOf(file);
    if (kind !== 'absent' && kind !== 'file') {
      throw new CommandRefused(`${shown} is not a plain file; choose another name.`);
    }
    const entries = await agent.past();
    if (entries.length === 0) return 'Nothing was said yet.';
    if (kind === 'file' && !(await ui.confirm(`${shown} is there already. Replace it?`))) {
      return `${shown} stays as it is.`;
    }
    const text = conversationText(entries, project);
    writeFile(file, Buffer.from(text), { mode: 0o644, onlyNew: kind === 'absent' });
    return `The conversation is in ${shown}.`;
  },
};

/** Prompts as quotations, answers as they are, tool calls in a line each. */
export function conversationText(entries: readonly ConversationEntry[], project: string): string {
  const parts = entries.flatMap((entry): string[] => {
    switch (entry.kind) {
      case 'user':
        return [entry.text.replaceAll(/^/gm, '> ')];
      case 'answer':
        return [entry.text.trim()];
      case 'tool':
        return [`- \`${toolLine(entry.call, project).replaceAll('`', "'")}\``];
      default:
        return [];
    }
  });
  return `# Conversation in ${displayText(project)}\n\n${parts.join('\n\n')}\n`;
}
