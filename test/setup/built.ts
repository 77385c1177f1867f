import { join } from 'node:path';
import { inject } from 'vitest';
import { builtName, type Program } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with what `build-programs.ts` has built. */
    readonly built: string;
  }
}

/** The file for Node to run: the program of this source, with all that it imports. */
export function builtProgram(path: Program): string {
  return join(inject('built'), 'programs', `${builtName(path)}.js`);
}

/** The `savepoint` command as it is published. */
export function builtCommand(): string {
  return join(inject('built'), 'bin', 'savepoint.cjs');
}

/** Where the command keeps what V8 compiled, for all tests. */
export function compiledCommands(): string {
  return join(inject('built'), 'compiled');
}
