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

function licenceIn(folder: string): string {
  const name = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (name === undefined) throw new Error(`${folder} has no licence file`);
  return readFileSync(join(folder, name), 'utf8').trim();
}
