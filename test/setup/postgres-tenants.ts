import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { postgresSql } from '../../src/store/postgres/index.ts';
import { sharedPostgres } from './shared-postgres.ts';

export interface Tenants {
  /** As the superuser, who sees everything. */
  readonly url: string;
  /** As the role that owns the tables. */
  readonly owner: string;
  /** As each of the tenants, which own nothing and can make nothing. */
  readonly tenants: readonly string[];
}

/** A database of its own on the server of this run, as an operator sets one up for tenants. */
export async function makeTenants(count: number): Promise<Tenants> {
  const unique = randomUUID().replaceAll('-', '');
  const url = new URL(await sharedPostgres());
  const [owner = '', ...tenants] = Array.from(
    { length: count + 1 },
    (_, n) => `role_${n}_${unique}`,
  );
  const roles = [owner, ...tenants].map((role) => `CREATE ROLE ${role} LOGIN PASSWORD 'dummy'`);
  await onDatabase(url.href, ...roles, `CREATE DATABASE tenants_${unique} OWNER ${owner}`);
  url.pathname = `tenants_${unique}`;
  const as = (role: string): string => Object.assign(new URL(url), { username: role }).href;
  await onDatabase(as(owner), postgresSql({ tenants }));
  return { url: url.href, owner: as(owner), tenants: tenants.map(as) };
}

/** What the statements answer, one after the other. */
export async function onDatabase(url: string, ...statements: string[]): Promise<pg.QueryResult[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=savepoint' });
  await client.connect();
  try {
    const results: pg.QueryResult[] = [];
    for (const sql of statements) results.push(await client.query(sql));
    return results;
  } finally {
    await client.end();
  }
}
