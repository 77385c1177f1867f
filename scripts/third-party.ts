import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licences of the packages whose modules are in a bundle, as one text. */
export function thirdPartyText(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []));
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    return `## ${name} ${version} (${license})\n\n${licenceIn(folder)}`;
  });
  return ['# Code of others in this bundle', ...parts].join('\n\n').concat('\n');
}

function packageFolder(path: string): string | null {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;
}

/** Some packages have it in a file, some at the end of their README. */
function licenceIn(folder: string): string {
  const names = readdirSync(folder);
  const file = names.find((name) => /^licen[cs]e/i.test(name));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim();
  const readme = names.find((name) => /^readme/i.test(name));
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8');
  const [, found] = /^#+ *licen[cs]e *$(.*)/ims.exec(text) ?? [];
  if (found === undefined) throw new Error(`${folder} has no licence`);
  return found.trim();
}
