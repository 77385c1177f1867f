/** Parameters under which tools name the file they write, in the order they are tried. */
export const PATH_PARAMETERS: readonly string[] = [
  'file_path',
  'path',
  'filePath',
  'notebook_path',
];

/** A tool as executors get it: by its name, or as an object that has one. */
export type NamedTool = string | { readonly name: string };

/** Where an object that is a whole call keeps its parameters. */
const CALL_PARAMETERS = ['input', 'arguments', 'params'];

/** Null for what is no name, whatever it is: an executor may be called with anything. */
export function toolName(tool: unknown): string | null {
  const name = typeof tool === 'string' ? tool : propertyOf(tool, 'name');
  return typeof name === 'string' && name !== '' ? name : null;
}

/**
 * The file that a call names: `run('write_file', { path })`, `run({ name }, { path })` or
 * `run({ name, input: { path } })`. A tool's own description may look like the last, so it is read first
 * and has to hold a path.
 */
export function namedFile(tool: unknown, params: unknown): string | null {
  for (const place of CALL_PARAMETERS) {
    const found = pathIn(fromJson(ownValue(tool, place)));
    if (found !== null) return found;
  }
  return pathIn(fromJson(params));
}

function pathIn(params: unknown): string | null {
  for (const name of PATH_PARAMETERS) {
    const value = ownValue(params, name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** Some models' calls carry their parameters as the JSON that the model wrote. */
function fromJson(params: unknown): unknown {
  if (typeof params !== 'string') return params;
  try {
    return JSON.parse(params);
  } catch {
    return null;
  }
}

/** Own properties only: a "__proto__" in a model's JSON must not answer for a missing path. */
function ownValue(holder: unknown, name: string): unknown {
  try {
    return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
      ? propertyOf(holder, name)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A property that throws is none: looking for it must not stop the tool. */
function propertyOf(holder: unknown, name: string): unknown {
  try {
    return (holder as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}
