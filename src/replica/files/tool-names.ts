/** Tools that write the one file that they name, and under which key they name it. */
const WRITE_TOOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Write', ['file_path']],
  ['Edit', ['file_path']],
  ['MultiEdit', ['file_path']],
  ['NotebookEdit', ['notebook_path', 'file_path']],
]);

const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Monitor']);

/** What a tool call may do to files: it writes one that it names, or anything at all, or nothing. */
export type Reach =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'anything'; readonly description: string }
  | { readonly kind: 'nothing' };

const NOTHING: Reach = { kind: 'nothing' };

export function reachOf(toolName: string, input: unknown): Reach {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Fields;
  const keys = WRITE_TOOLS.get(toolName);
  if (keys !== undefined) {
    const path = keys.map((key) => fields[key]).find((value) => typeof value === 'string');
    return path === undefined ? NOTHING : { kind: 'file', path: path as string };
  }
  if (SHELLS.has(toolName))
    return { kind: 'anything', description: `${fields.command ?? toolName}` };
  // A server may write wherever it likes, and does not say where.
  return toolName.startsWith('mcp__') ? { kind: 'anything', description: toolName } : NOTHING;
}

type Fields = Readonly<Record<string, unknown>>;
