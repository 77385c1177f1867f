import { writeFileSync } from 'node:fs';
import { cliDocs } from './cli-docs.ts';
import { CLI_PAGE, loadCli } from './load-cli.ts';

writeFileSync(CLI_PAGE, cliDocs(await loadCli()));
