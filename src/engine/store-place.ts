import { hash } from 'node:crypto';
import { join } from 'node:path';
import { type Project, realLocation } from '../capture/project.ts';
import { SavepointError } from '../model/errors.ts';

/** The folder of a project's store below `home`. */
export function storeDirectory(home: string, projectRoot: string): string {
  return join(home, 'projects', hash('sha256', projectRoot).slice(0, 24));
}

/** Where stores lie, by its real path: a store in the project would record itself. */
export function homeOf(project: Project, home: string): string {
  if (home === '' || home.includes('\0')) {
    throw new SavepointError('argument-invalid', 'home must name a folder');
  }
  const real = realLocation(home);
  if (!`${real}/`.startsWith(`${project.root}/`)) return real;
  throw new SavepointError('argument-invalid', 'the store must not be inside the project', {
    path: home,
    hint: 'set SAVEPOINT_HOME to a folder outside of it',
  });
}
