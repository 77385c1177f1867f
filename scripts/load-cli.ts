import type { Command } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/command-table.ts';

export const CLI_PAGE: URL = new URL('../docs/cli.md', import.meta.url);
export const SCHEMAS: URL = new URL('../docs/json/', import.meta.url);

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
