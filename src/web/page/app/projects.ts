import { signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PathBytes, PathRef, ProjectJson, ProjectsAnswer } from '../../api.ts';
import { ApiError, get } from './api-client.ts';

/** The projects that Savepoint knows on this machine; null until they are loaded. */
export const projects = signal<ProjectsAnswer | null>(null);

export const projectsError = signal<ApiError | null>(null);

export async function loadProjects(): Promise<void> {
  try {
    projects.value = await get<ProjectsAnswer>('/api/projects');
    projectsError.value = null;
  } catch (error) {
    projectsError.value = ApiError.of(error);
  }
}

/** The address of something in a project. */
export function inProject(project: string, ...parts: readonly (string | number)[]): string {
  const places = parts.map((part) => encodeURIComponent(part));
  return ['/api/projects', encodeURIComponent(project), ...places].join('/');
}

/** The id of the project that the view is about. */
export const ThisProject = createContext('');

export function useProject(): string {
  return useContext(ThisProject);
}

/** What the list of projects says about one; undefined until it is loaded. */
export function knownProject(project: string | undefined): ProjectJson | undefined {
  return projects.value?.projects.find(({ id }) => id === project);
}

/** A path of an answer as a request names it: by its bytes where it is not UTF-8. */
export function pathRef(path: string, pathBytes: PathBytes): PathRef {
  const bytes = pathBytes[path];
  return bytes === undefined ? path : { bytes };
}

/** The same in the query of an address. */
export function pathQuery(
  name: 'path' | 'from',
  path: string,
  pathBytes: PathBytes,
): Record<string, string> {
  const bytes = pathBytes[path];
  return bytes === undefined ? { [name]: path } : { [`${name}Bytes`]: bytes };
}
