import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProjectStorage } from '../../src/execution/index.ts';
import {
  type Execution,
  openSavepoint,
  type PartId,
  type Savepoint,
  type StepAttempt,
  type Store,
  sqliteStore,
} from '../../src/index.ts';
import { currentSeq } from '../../src/store/find.ts';
import { DocumentPacker } from '../../src/store/parts/document-packer.ts';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { GitRepository } from '../git/git-repository.ts';

// So small that a store of a few kilobytes has blobs of every kind.
const LARGE_BLOB_BYTES = 3_000;

function noise(seed: string, length: number): string {
  let text = '';
  for (let part = 0; text.length < length; part += 1) {
    text += createHash('sha512').update(`${seed}${part}`).digest('base64');
  }
  return text.slice(0, length);
}

function prose(lines: number, last: string): string {
  return `${Array.from({ length: lines }, (_, n) => `line ${n}: ${n * n}`).join('\n')}\n${last}\n`;
}

const EXECUTION: Execution = {
  id: 'exec',
  sessionId: 'agent',
  status: 'open',
  parentId: null,
  parentStep: null,
  token: 3,
  owner: null,
  leaseUntil: null,
  root: null,
  accepted: null,
  createdAt: 1,
  updatedAt: 2,
};

function stepOf(index: number, root: PartId | null): StepAttempt {
  return {
    executionId: 'exec',
    index,
    attempt: 1,
    name: `step ${index}`,
    key: null,
    status: 'success',
    checkpointId: null,
    root,
    result: null,
    error: null,
    effects: [],
    writes: null,
    restored: false,
    rolledBackBy: null,
    startedAt: 1,
    endedAt: 2,
  };
}

/** A project and its store, closed, with bytes kept in every way there is. */
export class SampleStore {
  readonly base: string;
  readonly project: string;
  readonly store: string;

  private constructor(base: string = makeScratch()) {
    this.base = base;
    this.project = join(base, 'project');
    this.store = join(base, 'store');
  }

  static async make(): Promise<SampleStore> {
    const sample = new SampleStore();
    const { project, base } = sample;
    mkdirSync(project);
    const repository = new GitRepository(project, base);
    repository.git('init', '--quiet');
    sample.put('kept/by-git.txt', prose(40, 'git'));
    sample.put('kept/other.txt', prose(60, 'other'));
    await repository.commit();
    repository.git('gc', '--quiet');
    await repository.tick();
    repository.rewriteIndex();
    sample.put('kept/packed.txt', prose(30, 'packed'));
    sample.put('kept/noise.txt', noise('packed', 900));
    const savepoint = await sample.open();
    try {
      await sample.#record(savepoint);
    } finally {
      await savepoint.close();
    }
    await sample.#execute();
    return sample;
  }

  /** In the folder `to`, which is emptied. */
  copy(to: string): SampleStore {
    rmSync(to, { recursive: true, force: true });
    const copy = new SampleStore(to);
    for (const name of ['project', 'store'] as const) {
      cpSync(this[name], copy[name], { recursive: true, preserveTimestamps: true });
    }
    return copy;
  }

  openStore(): Promise<Store> {
    return sqliteStore({ directory: this.store, largeBlobBytes: LARGE_BLOB_BYTES });
  }

  /** The store is closed with it. */
  async open(store?: Store): Promise<Savepoint> {
    const environment = { PATH: process.env.PATH ?? '', HOME: this.base };
    return openSavepoint({
      project: this.project,
      store: store ?? (await this.openStore()),
      scan: true,
      environment,
      adopt: true,
    });
  }

  put(name: string, content: string): void {
    mkdirSync(dirname(join(this.project, name)), { recursive: true });
    writeFileSync(join(this.project, name), content);
  }

  remove(): void {
    removeScratch(this.base);
  }

  /** As a tool of the agent does. */
  async write(
    savepoint: Savepoint,
    messageId: string,
    name: string,
    content: string,
  ): Promise<void> {
    const request = { sessionId: 'agent', messageId, paths: [name], toolCallId: 'call' };
    const capture = await savepoint.captureBefore(request);
    this.put(name, content);
    await savepoint.captureAfter(capture);
  }

  /** An execution with steps, and documents, which share parts of their state. */
  async #execute(): Promise<void> {
    const store = await sqliteStore({ directory: this.store });
    const documents = new ProjectStorage({ store, lockTimeoutMs: 1_000, now: () => 1 });
    const messages = Array.from({ length: 12 }, (_, n) => ({
      n,
      text: noise(`message ${n}`, 700),
    }));
    try {
      for (const count of [4, 8, 12]) {
        await documents.save('state', `after ${count}`, { messages: messages.slice(0, count) });
      }
      await documents.save('state', 'small', { text: noise('small', 300) });
      const { root, parts } = new DocumentPacker().pack(messages.slice(0, 8), 'state');
      const steps = [0, 1].map((index) => stepOf(index, root.id));
      const executions = [EXECUTION];
      await store.timeline.commit({
        base: await currentSeq(store),
        parts: [...parts, root],
        executions,
        steps,
      });
    } finally {
      await store.close();
    }
  }

  async #record(savepoint: Savepoint): Promise<void> {
    await savepoint.checkpoint({ sessionId: 'agent', messageId: 'm0', description: 'look around' });
    for (let n = 1; n <= 6; n += 1) {
      const description = `message ${n}, in which this and that is asked for`;
      await savepoint.checkpoint({ sessionId: 'agent', messageId: `m${n}`, description });
      await this.write(savepoint, `m${n}`, 'src/app.txt', prose(20 + n, `version ${n}`));
      await this.write(savepoint, `m${n}`, `src/only-${n}.txt`, noise(`only ${n}`, 300));
      if (n % 2 === 0)
        await this.write(savepoint, `m${n}`, 'src/big.bin', noise(`big ${n}`, 4_000));
      await this.write(savepoint, `m${n}`, 'kept/by-git.txt', prose(40, `git ${n}`));
    }
    await savepoint.cleanup({}, Number.POSITIVE_INFINITY);
    const [to] = await savepoint.list({ messageId: 'm5' });
    await savepoint.rewind({ to: to?.id ?? '' });
    await this.write(savepoint, 'm7', 'src/app.txt', prose(30, 'after the rewind'));
    await this.write(savepoint, 'm7', 'src/late.bin', noise('late', 5_000));
    await savepoint.checkpoint({ label: 'by hand' });
  }
}
