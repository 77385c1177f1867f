import { SavepointError } from '../../model/errors.ts';
import { schemaOf } from './connect.ts';
import { Database, type OpenedProject } from './database.ts';
import { serverFailure } from './failure.ts';
import type { PostgresOptions } from './options.ts';
import { findProject } from './schema.ts';

export interface PostgresProjectOptions extends PostgresOptions {
  /** The project's name on the server: any text without NUL. */
  readonly project: string;
  /** False: throws `store-missing` instead of making tables or a project. */
  readonly create?: boolean;
}

export interface FoundProject extends OpenedProject {
  /** The id that the project has for good, whatever its name. */
  readonly uuid: string;
}

/**
 * Connects to a project, which is made where there is none. The caller closes the database. `expected` is the id of
 * the project that this name stood for: throws `project-mismatch` where it stands for another one, or for none.
 */
export async function openProject(
  options: PostgresProjectOptions,
  expected: string | null = null,
): Promise<FoundProject> {
  const { project: name, create = true } = options;
  if (name === '' || name.includes('\0') || !name.isWellFormed()) {
    throw new SavepointError('argument-invalid', 'the name of a project is a text without NUL');
  }
  const schema = schemaOf(options);
  const database = await Database.open(options);
  try {
    const found = await findProject(database, schema, name, create && expected === null);
    if (expected !== null && found?.uuid !== expected) throw otherProject(found === null);
    if (found === null) {
      throw new SavepointError('store-missing', 'the database has no store for this project yet');
    }
    return { database, schema, project: found.id, uuid: found.uuid };
  } catch (error) {
    await database.close();
    throw serverFailure(error);
  }
}

function otherProject(isNone: boolean): SavepointError {
  const message = isNone
    ? 'the server has no project of this name any more, and this folder has its timeline in one'
    : 'the project of this name on the server is not the one in which this folder has its timeline';
  return new SavepointError('project-mismatch', message, {
    hint: 'nothing was changed; look at the name of the project, the URL and the schema',
  });
}
