import type { ClientConfig, default as Pg, PoolConfig } from 'pg';
import { SavepointError } from '../../model/errors.ts';
import type { PostgresOptions, PostgresTls } from './options.ts';
import { hasSettings, readServerUrl } from './server-url.ts';

export const DEFAULT_SCHEMA = 'savepoint';
const DEFAULT_PORT = 5432;
const DEFAULT_CONNECTIONS = 4;
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

/**
 * For each new connection: the server looks after 30 seconds of silence whether the client is still there, and after a
 * minute lets go of the locks of one that vanished from the network. By itself it would take hours. A statement and no
 * part of the startup message, of which poolers refuse what they do not know; on a Unix socket it does nothing.
 * There is no `idle_in_transaction_session_timeout`: the server counts the time in which a large statement comes over
 * a slow line as idle.
 */
export const NOTICE_LOST_CLIENT = `
  SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3`;

// `bigint`. Numbers of the timeline, sizes and times stay far below 2^53.
const INT8 = 20;

/** The package is loaded when somebody asks for PostgreSQL: others need not have it. */
export async function loadPg(): Promise<typeof Pg> {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    const message = 'the package "pg", which reaches PostgreSQL, is not installed';
    throw new SavepointError('store-failed', message, { hint: 'npm install pg', cause });
  }
}

/** What `pg` needs for one connection. Everything is said, since `pg` asks the environment for what is not. */
export function clientConfig(pg: typeof Pg, options: PostgresOptions): ClientConfig {
  const { hostname, port, username, password, pathname } = parsedUrl(options.url);
  const database = decoded(pathname.slice(1));
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? DEFAULT_PORT : Number(port),
    user: decoded(username),
    // A function: for an empty password `pg` would look into the environment and the home directory.
    password: () => decoded(password),
    database: database === '' ? decoded(username) : database,
    ssl: tlsOf(options.tls ?? false),
    sslnegotiation: 'postgres',
    options: `-c search_path=${schemaOf(options)}`,
    application_name: 'savepoint',
    client_encoding: 'UTF8',
    connectionTimeoutMillis: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 && format !== 'binary'
          ? Number
          : pg.types.getTypeParser(oid, format as 'text'),
    },
  } as ClientConfig;
}

export function poolConfig(pg: typeof Pg, options: PostgresOptions): PoolConfig {
  // An idle connection must not keep a process alive that is done.
  return {
    ...clientConfig(pg, options),
    // Statements are sent without waiting for the answers to those before them.
    pipeline: true,
    max: options.maxConnections ?? DEFAULT_CONNECTIONS,
    allowExitOnIdle: true,
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
  };
}

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** It becomes part of statements, so nothing else may pass for a name. */
export function schemaOf({ schema = DEFAULT_SCHEMA }: Pick<PostgresOptions, 'schema'>): string {
  if (SCHEMA_NAME.test(schema) && !schema.startsWith('pg_')) return schema;
  const message =
    'the name of a schema has small letters, digits and "_", and does not begin with "pg_"';
  throw new SavepointError('argument-invalid', message);
}

/** Tells one database from another, without credentials. */
export function placeOfServer(options: PostgresOptions): string {
  const { hostname, port, username, pathname } = parsedUrl(options.url);
  return JSON.stringify([hostname, port, username, pathname, schemaOf(options)]);
}

/** The URL is never quoted: it holds a password. */
function parsedUrl(text: string): URL {
  const url = readServerUrl(text);
  if (url === null) {
    throw new SavepointError('argument-invalid', 'the URL of the database cannot be read', {
      hint: 'it looks like postgres://USER:PASSWORD@HOST:PORT/DATABASE; in a password, "/" is %2F and "@" is %40',
    });
  }
  if (!hasSettings(url)) return url;
  throw new SavepointError('argument-invalid', 'the URL of the database has settings after "?"', {
    hint: 'pass them as options; encryption is `tls`; in a password, "?" is %3F and "#" is %23',
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Always with a look at the server's certificate, whatever the environment says. */
function tlsOf(tls: boolean | PostgresTls): ClientConfig['ssl'] {
  if (tls === false) return false;
  const { ca, cert, key }: PostgresTls = tls === true ? {} : tls;
  return {
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
