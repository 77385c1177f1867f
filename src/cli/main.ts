/**
 * The `savepoint` command. Without arguments it works for this process: its command line, its streams,
 * its exit code.
 */
export async function runCli(argv: readonly string[] = process.argv.slice(2)): Promise<number> {
  hideSqliteWarning();
  // Imported late, so that the warning is dealt with before anything loads SQLite.
  const { run } = await import('./run.ts');
  const code = await run(argv);
  process.exitCode = code;
  return code;
}

if (import.meta.main) void runCli();

/**
 * Node 22 warns about `node:sqlite` as soon as it is imported, on every run. Nobody who types a command
 * can act on that, so exactly this warning is dropped; all others pass. Call it before the engine loads.
 */
export function hideSqliteWarning(): void {
  const emit = process.emitWarning as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]): void => {
    if (!isSqliteWarning(args)) emit.apply(process, args);
  };
}

function isSqliteWarning([warning, options]: readonly unknown[]): boolean {
  const text = warning instanceof Error ? warning.message : String(warning);
  const name = warning instanceof Error ? warning.name : nameIn(options);
  return name === 'ExperimentalWarning' && text.startsWith('SQLite is an experimental feature');
}

function nameIn(options: unknown): unknown {
  return typeof options === 'object' && options !== null && 'type' in options
    ? options.type
    : options;
}
