import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIRST_FILES, PROGRAM } from './script.ts';

/** Temporary folders for one play: a project, and a store of its own. */
export interface Stage {
  readonly project: string;
  readonly home: string;
  remove(): void;
}

export function setStage(): Stage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-demo-')));
  const project = join(folder, 'till');
  const home = join(folder, 'savepoint-home');
  mkdirSync(project);
  for (const [name, content] of Object.entries(FIRST_FILES))
    writeFileSync(join(project, name), content);
  return { project, home, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Every file of the project by name, as text: mode and bytes. */
export type Tree = ReadonlyMap<string, string>;

export function readTree(project: string): Tree {
  const names = readdirSync(project).sort();
  return new Map(
    names.map((name) => {
      const path = join(project, name);
      return [name, `${statSync(path).mode.toString(8)} ${readFileSync(path).toString('base64')}`];
    }),
  );
}

/** The play proves what it claims: byte for byte, or it fails. */
export function expectTree(project: string, expected: Tree, when: string): void {
  const found = readTree(project);
  const names = [...new Set([...expected.keys(), ...found.keys()])];
  const wrong = names.filter((name) => expected.get(name) !== found.get(name));
  if (wrong.length > 0)
    throw new Error(`the demo failed: ${wrong.join(', ')} not as expected ${when}`);
}

/** Runs the project's program for real. Gives what it prints, or how it fails. */
export function runProgram(project: string): Promise<string[]> {
  const options = {
    cwd: project,
    env: { PATH: process.env.PATH ?? '' },
    encoding: 'utf8',
  } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM], options, (error, stdout, stderr) => {
      const text = error === null ? stdout : (/^\w*Error.*$/m.exec(stderr)?.[0] ?? 'it failed');
      resolve(text.trimEnd().split('\n'));
    });
  });
}
