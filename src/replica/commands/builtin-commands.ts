import type { CommandRegistry } from './command-registry.ts';

/** Every slash command that the agent comes with, in the order of the help. */
export function registerBuiltinCommands(_registry: CommandRegistry): void {}
