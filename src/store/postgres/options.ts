// Apart from what uses `pg`, so that programs without its types can be compiled.

/** Where the server is, and how to reach it. Nothing is taken from the environment. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. What else it says, such as `?sslmode=`, is refused. */
  readonly url: string;
  /** Encrypts the connection. The server's certificate must be for the host of the URL; true trusts what Node trusts. */
  readonly tls?: boolean | PostgresTls;
  /** The schema that holds the tables: small letters, digits and `_`. `savepoint` when left out. */
  readonly schema?: string;
  /** The most connections at the same time, besides the one that holds the project lock. 4 when left out. */
  readonly maxConnections?: number;
  /** How long to wait for a connection. 10 seconds when left out. */
  readonly connectTimeoutMs?: number;
  /** How long to wait for an answer to one statement: then the server counts as gone. No limit when left out. */
  readonly queryTimeoutMs?: number;
}

export interface PostgresTls {
  /** The certificate of who vouches for the server, as PEM. */
  readonly ca?: string;
  /** Ours, where the server wants one, as PEM. */
  readonly cert?: string;
  readonly key?: string;
}
