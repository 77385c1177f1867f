import { readdirSync } from 'node:fs';
import { COMMANDS } from '../src/cli/command-table.ts';
import type { CliDocsInput } from './cli-docs.ts';

export const CLI_PAGE: URL = new URL('../docs/cli.md', import.meta.url);

/** The commands and schemas of this checkout. */
export async function loadCli(): Promise<CliDocsInput> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const schemas = readdirSync(new URL('../docs/json/', import.meta.url));
  return { commands, schemas };
}
