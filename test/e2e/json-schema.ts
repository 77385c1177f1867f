import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

const FOLDER = new URL('../../docs/json/', import.meta.url);

/** Checks what a command printed with `--json` against the schema that is published for it. */
export function expectSchema(name: string, text: string): void {
  const validate = schemas().getSchema(`${name}.schema.json`);
  if (validate === undefined) throw new Error(`docs/json has no ${name}.schema.json`);
  validate(JSON.parse(text));
  expect(validate.errors ?? [], text).toEqual([]);
}

let loaded: Ajv2020 | undefined;

/** All schemas at once: they refer to each other by their file names. */
function schemas(): Ajv2020 {
  if (loaded !== undefined) return loaded;
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.schema.json'))) {
    ajv.addSchema(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')), file);
  }
  loaded = ajv;
  return ajv;
}
