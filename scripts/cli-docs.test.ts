import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadCommands } from '../src/cli/command-table.ts';
import { CLI_PAGE, cliDocs, SCHEMAS } from './cli-docs.ts';
import { jsonSchemas } from './json-schemas.ts';

// Their output is the protocol of another program.
const WITHOUT_JSON = ['hook', 'mcp'];

describe('docs/cli.md', () => {
  it('says what the commands say; `npm run docs` writes it', async () => {
    expect(readFileSync(CLI_PAGE, 'utf8')).toBe(cliDocs(await loadCommands()));
  });

  it('gives every command its usage, its options, its examples and its schemas', async () => {
    const commands = await loadCommands();
    const page = cliDocs(commands);
    for (const { name, options = {}, examples, json = {} } of commands) {
      const [, part = ''] = page.split(`\n## ${name}\n`);
      const [own = ''] = part.split('\n## ', 1);
      for (const option of Object.keys(options)) expect(own).toContain(`\`--${option}`);
      for (const [line] of examples) expect(own).toContain(`$ ${line}`);
      expect(Object.keys(json).length > 0).toBe(!WITHOUT_JSON.includes(name));
      for (const schema of Object.keys(json)) expect(own).toContain(`(json/${schema}.schema.json)`);
    }
  });
});

describe('docs/json', () => {
  it('holds the schemas of what the commands print, and no others; `npm run docs` writes them', async () => {
    const schemas = await jsonSchemas(await loadCommands());
    expect(readdirSync(SCHEMAS).sort()).toEqual([...schemas.keys()].sort());
    for (const [file, text] of schemas) {
      expect(readFileSync(new URL(file, SCHEMAS), 'utf8'), file).toBe(text);
    }
  });
});
