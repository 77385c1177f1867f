import { hideSqliteWarning } from './hidden-warning.ts';

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
