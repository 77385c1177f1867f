import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { WebError } from './web-error.ts';

const TOKEN_MS = 60_000;

/**
 * Who gets in: the page that shows a one-time token within a minute gets the key of this server. Both have 256 random
 * bits, and only their hashes are kept, so that comparing takes the same time whatever is sent.
 */
export class Access {
  readonly #key = newSecret();
  readonly #keyHash = hashOf(this.#key);
  readonly #now: () => number;
  #tokens: { readonly hash: Buffer; readonly until: number }[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A new token, good for one minute and one use. */
  issueToken(): string {
    this.#forgetOld();
    const token = newSecret();
    this.#tokens.push({ hash: hashOf(token), until: this.#now() + TOKEN_MS });
    return token;
  }

  /** The key. A wrong token spends nothing: others on this machine must not be able to lock the owner out. */
  redeem(token: string): string {
    this.#forgetOld();
    const hash = hashOf(token);
    const fitting = this.#tokens.filter((one) => timingSafeEqual(one.hash, hash));
    if (fitting.length === 0) {
      throw new WebError(401, 'key-wrong', 'this address was used before, or is too old', AGAIN);
    }
    this.#tokens = this.#tokens.filter((one) => !fitting.includes(one));
    return this.#key;
  }

  /** Throws unless this is the key. */
  check(key: string | undefined): void {
    if (key === undefined || key === '') {
      throw new WebError(401, 'key-missing', 'only the page that its owner opened gets in', AGAIN);
    }
    if (!timingSafeEqual(hashOf(key), this.#keyHash)) {
      throw new WebError(401, 'key-wrong', 'this key is of another server', AGAIN);
    }
  }

  #forgetOld(): void {
    const now = this.#now();
    this.#tokens = this.#tokens.filter(({ until }) => now < until);
  }
}

const AGAIN = 'press Enter where `savepoint web` runs, or type it again';

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
