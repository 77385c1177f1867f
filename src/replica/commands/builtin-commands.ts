import { CheckpointCommand } from './checkpoint.ts';
import type { CommandRegistry } from './command-registry.ts';
import { configCommand } from './config.ts';
import { loadContextCommand, showContextCommand } from './context-commands.ts';
import { diffCommand } from './diff.ts';
import { helpCommand } from './help.ts';
import { initCommand } from './init.ts';
import { labelCommand } from './label.ts';
import {
  conversationsCommand,
  deleteCommand,
  loadCommand,
  saveCommand,
} from './saved-conversations.ts';
import { clearCommand, exitCommand, quietCommand, verboseCommand } from './screen-commands.ts';
import { resumeCommand, sessionsCommand } from './sessions.ts';
import { statusCommand } from './status.ts';
import { todosCommand } from './todos.ts';
import { redoCommand, undoCommand } from './undo-redo.ts';

/** Every slash command that the agent comes with, in the order of the help. */
export function registerBuiltinCommands(registry: CommandRegistry): void {
  const commands = [
    new CheckpointCommand(),
    undoCommand,
    redoCommand,
    diffCommand,
    labelCommand,
    sessionsCommand,
    resumeCommand,
    saveCommand,
    loadCommand,
    conversationsCommand,
    deleteCommand,
    todosCommand,
    initCommand,
    showContextCommand,
    loadContextCommand,
    statusCommand,
    configCommand,
    clearCommand,
    verboseCommand,
    quietCommand,
    helpCommand(registry),
    exitCommand,
  ];
  for (const command of commands) registry.register(command);
}
