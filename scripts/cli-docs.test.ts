import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliDocs } from './cli-docs.ts';
import { CLI_PAGE, loadCli } from './load-cli.ts';

describe('docs/cli.md', () => {
  it('says what the commands say; `npm run docs` writes it', async () => {
    expect(readFileSync(CLI_PAGE, 'utf8')).toBe(cliDocs(await loadCli()));
  });

  it('links to the schema of a command that has one, and to no other', async () => {
    const { commands } = await loadCli();
    const page = cliDocs({ commands, schemas: ['export.schema.json'] });
    expect(page).toContain('\n`--json`: [export.schema.json](json/export.schema.json)\n');
    expect(page).not.toContain('import.schema.json');
  });

  it('gives every command its usage, its options and its examples', async () => {
    const { commands } = await loadCli();
    const page = cliDocs({ commands, schemas: [] });
    for (const { name, options, examples } of commands) {
      const [, part = ''] = page.split(`\n## ${name}\n`);
      const [own = ''] = part.split('\n## ', 1);
      for (const option of Object.keys(options)) expect(own).toContain(`\`--${option}`);
      for (const [line] of examples) expect(own).toContain(`$ ${line}`);
    }
  });
});
