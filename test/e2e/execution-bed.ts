import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type OpenOptions,
  openSavepoint,
  type Savepoint,
  sqliteStore,
  storeDirectory,
} from '../../src/index.ts';
import { currentSeq, findExecution } from '../../src/store/find.ts';

/** A project whose files steps of executions write. */
export class ExecutionBed {
  readonly project: string;
  readonly home: string;
  readonly #folder: string;
  readonly #open: Savepoint[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
    this.project = join(folder, 'project');
    this.home = join(folder, 'home');
  }

  static async make(files: Readonly<Record<string, string>> = {}): Promise<ExecutionBed> {
    const bed = new ExecutionBed(await realpath(await mkdtemp(join(tmpdir(), 'savepoint-steps-'))));
    await mkdir(bed.project, { recursive: true });
    for (const [path, content] of Object.entries(files)) await bed.edit(path, content);
    return bed;
  }

  async open(options: Partial<OpenOptions> = {}): Promise<Savepoint> {
    const { project, home } = this;
    const savepoint = await openSavepoint({ project, home, ...options });
    this.#open.push(savepoint);
    return savepoint;
  }

  /** As a person or another program would. */
  async edit(path: string, content: string): Promise<void> {
    const file = join(this.project, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  async read(path: string): Promise<string | null> {
    return readFile(join(this.project, path), 'utf8').catch(() => null);
  }

  async remove(): Promise<void> {
    for (const savepoint of this.#open) await savepoint.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** What is seen of an execution once the process that held it is gone. */
export async function endHolder(
  { home, root }: { readonly home: string; readonly root: string },
  id: string,
): Promise<void> {
  const store = await sqliteStore({ directory: storeDirectory(home, root) });
  const held = await findExecution(store, id);
  if (held === null) throw new Error(`${id} is not on record`);
  const free = { ...held, owner: null, leaseUntil: null, token: held.token + 1 };
  await store.timeline.commit({ base: await currentSeq(store), executions: [free] });
  await store.close();
}
