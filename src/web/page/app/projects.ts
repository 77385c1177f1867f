import { signal } from '@preact/signals';
import type { ProjectsAnswer } from '../../api.ts';
import { type ApiError, get } from './api-client.ts';
import { asApiError } from './load.ts';

/** The projects that Savepoint knows on this machine; null until they are loaded. */
export const projects = signal<ProjectsAnswer | null>(null);

export const projectsError = signal<ApiError | null>(null);

export async function loadProjects(): Promise<void> {
  try {
    projects.value = await get<ProjectsAnswer>('/api/projects');
    projectsError.value = null;
  } catch (error) {
    projectsError.value = asApiError(error);
  }
}

/** The address of something in a project. */
export function inProject(project: string, ...parts: readonly (string | number)[]): string {
  const places = parts.map((part) => encodeURIComponent(part));
  return ['/api/projects', encodeURIComponent(project), ...places].join('/');
}
