import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadCommands } from '../src/cli/command-table.ts';
import { CLI_PAGE, cliDocs, SCHEMAS } from './cli-docs.ts';
import { jsonSchemas } from './json-schemas.ts';

const commands = await loadCommands();
writeFileSync(CLI_PAGE, cliDocs(commands));
rmSync(SCHEMAS, { recursive: true, force: true });
mkdirSync(SCHEMAS);
for (const [file, text] of await jsonSchemas(commands)) writeFileSync(new URL(file, SCHEMAS), text);
