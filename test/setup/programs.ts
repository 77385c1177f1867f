/** What tests start as processes, beside the commands. */
export const PROGRAMS = [
  'src/execution/index.ts',
  'src/index.ts',
  'test/concurrency/worker.ts',
  'test/concurrency/storage/reader.ts',
  'test/concurrency/storage/worker.ts',
  'test/crash/child/execution-program.ts',
  'test/crash/child/program.ts',
  'test/e2e/alongside-child.ts',
  'test/e2e/ui-program.ts',
  'test/shell/killed-child.ts',
] as const;
export type Program = (typeof PROGRAMS)[number];

export function builtName(path: Program): string {
  return path.replace(/\.ts$/, '').replaceAll('/', '-');
}
