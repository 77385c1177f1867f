import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Capture,
  type CaptureRequest,
  type CheckpointId,
  type NamedPath,
  type OpenOptions,
  openSavepoint,
  type Receipt,
  type RewindRequest,
  type Savepoint,
  storeDirectory,
} from '../../src/index.ts';
import { makeScratch, removeScratch } from './scratch.ts';
import { type Tree, treeOf } from './tree-of.ts';

/** A project in a real folder with a real store, and a folder outside of it. */
export class Bed {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly outside: string;
  savepoint: Savepoint;

  constructor(base: string, savepoint: Savepoint) {
    this.base = base;
    this.root = savepoint.root;
    this.home = join(base, 'home');
    this.outside = join(base, 'outside');
    this.savepoint = savepoint;
  }

  at(path: string): string {
    return join(this.root, path);
  }

  /** A person, or a tool, writes a file; folders on the way are made. */
  put(path: string, content: string | Uint8Array, mode?: number): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
    if (mode !== undefined) chmodSync(this.at(path), mode);
  }

  text(path: string): string {
    return readFileSync(this.at(path), 'utf8');
  }

  tree(): Tree {
    return treeOf(this.root);
  }

  /** One tool call: what it names is captured before and after it works. */
  async tool(
    message: string,
    paths: readonly NamedPath[],
    work: () => void,
    more: Partial<CaptureRequest> = {},
  ): Promise<Capture> {
    const request = { sessionId: 'agent', messageId: message, paths, ...more };
    const capture = await this.savepoint.captureBefore(request);
    work();
    await this.savepoint.captureAfter(capture);
    return capture;
  }

  /** The commonest tool call: one file gets new content. */
  write(message: string, path: string, content: string | Uint8Array): Promise<Capture> {
    return this.tool(message, [path], () => this.put(path, content));
  }

  async idOf(message: string, sessionId = 'agent'): Promise<CheckpointId> {
    const query = { sessionIds: [sessionId], messageId: message };
    const [found] = await this.savepoint.list(query);
    if (found === undefined) throw new Error(`the message ${message} has no checkpoint`);
    return found.id;
  }

  async rewind(message: string, more: Partial<RewindRequest> = {}): Promise<Receipt> {
    return this.savepoint.rewind({ to: await this.idOf(message), ...more });
  }

  async reopen(options: Partial<OpenOptions> = {}): Promise<void> {
    await this.savepoint.close();
    this.savepoint = await openSavepoint({ project: this.root, home: this.home, ...options });
  }

  /** Overwrites the first bytes of the store, so that nobody can open it. */
  async damageStore(): Promise<void> {
    await this.savepoint.close();
    const database = openSync(join(storeDirectory(this.home, this.root), 'store.db'), 'r+');
    writeSync(database, Buffer.alloc(100, 0x55), 0, 100, 0);
    closeSync(database);
  }

  async remove(): Promise<void> {
    await this.savepoint.close();
    removeScratch(this.base);
  }
}

export async function makeBed(options: Partial<OpenOptions> = {}): Promise<Bed> {
  const base = makeScratch();
  const project = join(base, 'project');
  mkdirSync(project);
  mkdirSync(join(base, 'outside'));
  const savepoint = await openSavepoint({ project, home: join(base, 'home'), ...options });
  return new Bed(base, savepoint);
}
