import { afterEach, expect, it } from 'vitest';
import { isSavepointError, openSavepoint } from '../../src/index.ts';
import { CliProject } from './cli-project.ts';

let project: CliProject;
afterEach(() => project.remove());

it.each([true, false])('gives a label once, to whoever comes first (scan: %j)', async (scan) => {
  project = new CliProject({ 'a.txt': 'a\n' });
  const place = { project: project.root, home: project.home };
  const both = [await openSavepoint(place), await openSavepoint(place)];
  const ends = await Promise.allSettled(
    both.map((savepoint) => savepoint.checkpoint({ label: 'release', scan })),
  );
  await Promise.all(both.map((savepoint) => savepoint.close()));
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = ends.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(isSavepointError(refused.reason, 'argument-invalid')).toBe(true);
  const labelled = await project.open((savepoint) => savepoint.list({ labelled: true }));
  expect(labelled).toHaveLength(1);
});
