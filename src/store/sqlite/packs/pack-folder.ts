import { join } from 'node:path';
import { filesIn } from '../layout.ts';

const INDEX = '.idx';

/** The bytes of a pack or an index are wrong. Only this room sees it. */
export class Damaged extends Error {}

// Of a missing file, and of numbers that no bytes can have. Codes of zlib begin with a Z.
const DAMAGE: readonly string[] = ['ENOENT', 'ERR_BUFFER_TOO_LARGE', 'ERR_OUT_OF_RANGE'];

/** Whether the bytes caused the failure. Anything else (a failing disk, no memory) is not damage. */
function isDamage(error: unknown): boolean {
  if (error instanceof Damaged) return true;
  const { code = '' } = error as NodeJS.ErrnoException;
  return DAMAGE.includes(code) || code.startsWith('Z');
}

/**
 * A folder of packs, ours or git's, each with an index beside it. An index is loaded when it is first needed,
 * and stays in memory.
 */
export class PackFolder<Index> {
  readonly #folder: string;
  readonly #load: (file: string) => Index;
  readonly #isName: (name: string) => boolean;
  /** By the name of the pack; null for a damaged index. */
  readonly #known = new Map<string, Index | null>();

  /** Files whose name `isName` refuses are somebody else's. */
  constructor(
    folder: string,
    load: (file: string) => Index,
    isName: (name: string) => boolean = () => true,
  ) {
    this.#folder = folder;
    this.#load = load;
    this.#isName = isName;
  }

  /**
   * What `read` gives for one of the packs. It answers null where a pack does not hold what is wanted, and
   * throws `Damaged` where the bytes are not right: another pack may have them too.
   */
  read(
    read: (name: string, index: Index) => Uint8Array | null,
  ): Uint8Array | 'damaged' | 'missing' {
    const found = this.#readKnown(read);
    // Another process may have made a pack, or removed one, since we looked.
    return typeof found === 'string' && this.#look() ? this.#readKnown(read) : found;
  }

  /** Null when the index is missing or damaged. */
  index(name: string): Index | null {
    this.#look();
    return this.#known.get(name) ?? null;
  }

  forget(): void {
    this.#known.clear();
  }

  #readKnown(
    read: (name: string, index: Index) => Uint8Array | null,
  ): Uint8Array | 'damaged' | 'missing' {
    let outcome: 'damaged' | 'missing' = 'missing';
    for (const [name, index] of this.#known) {
      const bytes = index === null ? 'damaged' : unlessDamaged(() => read(name, index));
      if (bytes instanceof Uint8Array) return bytes;
      if (bytes === 'damaged') outcome = 'damaged';
    }
    return outcome;
  }

  /** Reads the folder again. True when packs came, went, or are read again after damage. */
  #look(): boolean {
    const files = filesIn(this.#folder).filter((file) => file.endsWith(INDEX));
    const names = new Set(files.map((file) => file.slice(0, -INDEX.length)).filter(this.#isName));
    let changed = false;
    for (const name of this.#known.keys()) {
      if (!names.has(name)) changed = this.#known.delete(name) || changed;
    }
    for (const name of names) {
      // A damaged index is loaded again: somebody may have replaced it.
      if (this.#known.get(name)) continue;
      const index = unlessDamaged(() => this.#load(join(this.#folder, name + INDEX)));
      this.#known.set(name, index === 'damaged' ? null : index);
      changed = true;
    }
    return changed;
  }
}

function unlessDamaged<Result>(read: () => Result): Result | 'damaged' {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return 'damaged';
  }
}
