import pg from 'pg';

/** What the files of the database hold now, with indexes, dead rows and free room; not the log of the server. */
export function databaseBytes(url: string): Promise<number> {
  return answer(url, 'SELECT pg_database_size(current_database()) AS bytes');
}

/** What the server has written to its log since it was made. */
export function writtenBytes(url: string): Promise<number> {
  return answer(url, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes");
}

async function answer(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CHECKPOINT');
    return Number((await client.query(sql)).rows[0].bytes);
  } finally {
    await client.end();
  }
}
