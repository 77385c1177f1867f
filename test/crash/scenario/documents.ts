import { dirname, join } from 'node:path';
import { JSONStorage } from '../../../src/execution/index.ts';

/** The storage of files in a place, made anew as each process would. */
export function documentsBeside(project: string): JSONStorage {
  return new JSONStorage('crash', join(dirname(project), 'documents'));
}
