import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash } from 'node:crypto';
import { SavepointError } from '../../model/errors.ts';
import { ByteReader } from './byte-reader.ts';
import { type GitEnvironment, gone, startGit } from './git-child.ts';
import { placesOf } from './object-places.ts';
import { objectsOf } from './repository.ts';

/**
 * Reads objects that `keepObjects` kept, through one `cat-file --batch` that lives until `close`. What
 * it gives is compared with the object's id: other bytes are never returned.
 */
export class KeptObjects {
  readonly #folder: string;
  readonly #environment: GitEnvironment;
  #batch: Batch | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(folder: string, environment: GitEnvironment) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /** Throws `blob-missing`, or `blob-corrupt` when what is there is not the object. */
  read(oid: Buffer): Promise<Uint8Array> {
    const answer = this.#queue.then(() => this.#readNow(oid.toString('hex')));
    this.#queue = answer.catch(() => {});
    return answer;
  }

  /** Ends git after the reads that were asked for. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    await this.#drop();
  }

  async #readNow(hex: string): Promise<Uint8Array> {
    if (this.#closed) throw new SavepointError('store-closed', 'the kept git objects were closed');
    this.#batch ??= new Batch(this.#folder, this.#environment);
    try {
      return await this.#batch.read(hex);
    } catch (error) {
      // Where its output stands is not known any more; the next read gets a new one.
      await this.#drop();
      throw error;
    }
  }

  async #drop(): Promise<void> {
    const batch = this.#batch;
    this.#batch = null;
    await batch?.end();
  }
}

class Batch {
  readonly #folder: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #output: ByteReader;
  #failure: Error | null = null;

  constructor(folder: string, environment: GitEnvironment) {
    this.#folder = folder;
    const args = ['cat-file', '--batch'];
    this.#child = startGit({ gitDir: folder, top: null, args, environment });
    this.#child.on('error', (error) => {
      this.#failure = error;
    });
    this.#output = new ByteReader(this.#child.stdout);
  }

  async read(hex: string): Promise<Uint8Array> {
    this.#child.stdin.write(`${hex}\n`);
    const header = (await this.#output.until(10)) ?? this.#ended(hex);
    const match = /^([0-9a-f]{40}) blob (\d+)$/.exec(header.toString('latin1'));
    if (match === null || match[1] !== hex) throw this.#absent(hex);
    const bytes = (await this.#output.take(Number(match[2]) + 1)) ?? this.#ended(hex);
    const content = bytes.subarray(0, -1);
    if (hashOf(content) !== hex) throw corrupt(hex);
    return content;
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    // It may be in the middle of an answer that nobody reads.
    this.#child.kill('SIGKILL');
    await gone(this.#child);
  }

  /** Git says "missing" of damaged objects too; the packs' indexes know whether it was there. */
  #absent(hex: string): SavepointError {
    const { missing } = placesOf(objectsOf(this.#folder), Buffer.from(hex, 'hex'));
    if (missing.length === 0) return corrupt(hex);
    return new SavepointError('blob-missing', `git object ${hex} is not among those kept`);
  }

  #ended(hex: string): never {
    if (this.#failure === null) throw corrupt(hex);
    throw new SavepointError('store-failed', 'git could not be started to read a kept object', {
      hint: 'install git, or put it on PATH',
      cause: this.#failure,
    });
  }
}

/** Git names an object by the SHA-1 of its kind, length and bytes. */
function hashOf(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

function corrupt(hex: string): SavepointError {
  return new SavepointError('blob-corrupt', `git object ${hex} is damaged where it was kept`);
}
