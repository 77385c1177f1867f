import { join } from 'node:path';
import { isSavepointError, type SavepointError } from '../index.ts';
import { readJsonFile, valuesOf } from './read-file.ts';
import { SETTING_KEYS, variableOf } from './settings.ts';

export type Origin = 'default' | 'user' | 'project' | 'environment';

/** One place that values come from. */
export interface Source {
  readonly origin: Exclude<Origin, 'default'>;
  /** A file; for the environment nothing, each value has a variable of its own. */
  readonly file: string | null;
  readonly values: ReadonlyMap<string, unknown>;
}

export interface Places {
  /** The project's folder. */
  readonly project: string;
  readonly userFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws `config-invalid`: the user's own file is the user's to mend. */
export function userSource({ userFile: file }: Places): Source | null {
  const values = readJsonFile(file);
  return values === null ? null : { origin: 'user', file, values };
}

/**
 * `savepoint.config.json`, or where there is none the key `savepoint` of package.json. A problem is given
 * back and not thrown: whoever wants to take an agent's work back may have got a broken file from it.
 */
export function projectSource({ project }: Places): Source | SavepointError | null {
  try {
    return (
      ownFile(join(project, 'savepoint.config.json')) ?? packageKey(join(project, 'package.json'))
    );
  } catch (error) {
    if (isSavepointError(error, 'config-invalid')) return error;
    throw error;
  }
}

export function environmentSource({ environment }: Places): Source {
  const values = new Map<string, unknown>();
  for (const key of SETTING_KEYS) {
    const text = environment[variableOf(key)];
    // An empty variable is how one is taken away for one command.
    if (text !== undefined && text !== '') values.set(key, text);
  }
  return { origin: 'environment', file: null, values };
}

function ownFile(file: string): Source | null {
  const values = readJsonFile(file);
  return values === null ? null : { origin: 'project', file, values };
}

function packageKey(file: string): Source | null {
  const own = readJsonFile(file)?.get('savepoint');
  return own === undefined ? null : { origin: 'project', file, values: valuesOf(file, own) };
}
