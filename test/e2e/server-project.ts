import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { storeDirectory } from '../../src/index.ts';
import { Database } from '../../src/store/postgres/database.ts';
import { runHere } from './cli-here.ts';
import { CliProject, MAIN, type Result, runNode } from './cli-project.ts';

/** A word that may appear nowhere. */
export const PASSWORD = 'dummy-password-of-a-test';

/** A role of a server with a password that can be searched for. Gives the URL. */
export async function urlWithPassword(url: string): Promise<string> {
  const role = `agents_${randomUUID().replaceAll('-', '')}`;
  const database = await Database.open({ url });
  try {
    const sql = `CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD '${PASSWORD}'`;
    await database.transaction((session) => session.run(sql));
  } finally {
    await database.close();
  }
  return Object.assign(new URL(url), { username: role, password: PASSWORD }).href;
}

/** A project on a server, and the command in processes of its own. All that it prints is kept. */
export class ServerProject extends CliProject {
  url: string;
  readonly name: string;
  printed = '';

  constructor(url: string, name: string, files: Readonly<Record<string, string>> = {}) {
    super(files);
    this.url = url;
    this.name = name;
  }

  override env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const database = { SAVEPOINT_DATABASE_URL: this.url, SAVEPOINT_DATABASE_PROJECT: this.name };
    return super.env({ ...database, ...more });
  }

  /** Always in a process of its own. */
  override async run(
    args: readonly string[],
    { env }: { readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<Result> {
    const result = await runNode([MAIN, ...args], { cwd: this.root, env: this.env(env) });
    this.printed += `${result.out}${result.err}`;
    return result;
  }

  /** In this process, for what does not depend on one. */
  async here(args: readonly string[]): Promise<Result> {
    const result = await runHere(args, { cwd: this.root, env: this.env() });
    this.printed += `${result.out}${result.err}`;
    return result;
  }

  /** The private folder of this machine. */
  get folder(): string {
    return storeDirectory(this.home, this.root);
  }

  /** Everything that was printed, and every byte of every file that is there now. */
  allWords(): string {
    const files = readdirSync(this.scratch, { recursive: true, encoding: 'utf8' })
      .map((name) => join(this.scratch, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    return this.printed + files.map((path) => readFileSync(path, 'latin1')).join('\n');
  }
}
