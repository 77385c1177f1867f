import type { Command } from '../src/cli/command.ts';
import { JSON_VERSION } from '../src/cli/json.ts';
import { ERROR } from '../src/cli/report-error.ts';
import type { JsonSchema, Kind } from '../src/model/check.ts';

/** The published schemas by the names of their files, made from what the commands say that they print. */
export async function jsonSchemas(commands: readonly Command[]): Promise<Map<string, string>> {
  const schemas = new Map<string, string>();
  const add = (name: string, title: string, kind: Kind<unknown>): void => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const schema = { $schema, title, ...withVersion(kind.schema()) };
    schemas.set(`${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
  };
  for (const [name, kind] of commands.flatMap(({ json = {} }) => Object.entries(json))) {
    const title = `savepoint ${name.replace('-', ' ')} --json`;
    add(name, title, typeof kind === 'function' ? await kind() : kind);
  }
  add('error', 'What every command prints with --json when it fails', ERROR);
  return schemas;
}

/** Every document that is printed begins with the version of its shape. */
function withVersion(schema: JsonSchema): JsonSchema {
  const { anyOf, required = [], properties = {}, ...rest } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(withVersion) };
  return {
    ...rest,
    required: [...new Set(['version', ...(required as string[])])],
    properties: { version: { const: JSON_VERSION }, ...(properties as object) },
  };
}
