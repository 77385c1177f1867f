import pg from 'pg';

// A project and its worktree.
const NUMBERS_EACH = 2;

/** What the first project of a database holds is copied until there are so many projects, all of one tenant. */
export async function multiplyProjects(admin: string, wanted: number): Promise<void> {
  const client = new pg.Client({ connectionString: admin, options: '-c search_path=savepoint' });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT count(*)::integer AS there FROM projects');
    const there: number = rows[0].there;
    if (there >= wanted) return;
    // References hold in the copies as in what is copied: nobody has to look at each.
    await client.query("SET session_replication_role = 'replica'");
    await client.query('SET synchronous_commit = off');
    const first = {
      project: (await client.query('SELECT min(id) AS id FROM projects')).rows[0].id,
      worktree: (await client.query('SELECT min(id) AS id FROM worktrees')).rows[0].id,
    };
    for (const table of await tablesIn(client))
      await copyRows(client, table, first, [there, wanted]);
    await client.query('UPDATE tenants SET last = $1', [wanted * NUMBERS_EACH]);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

interface CopiedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Every table with a row for each project, and their columns, from the catalog. */
async function tablesIn(client: pg.Client): Promise<CopiedTable[]> {
  const { rows } = await client.query(`
    SELECT table_name AS name, json_agg(json_build_object('name', column_name, 'type', udt_name)) AS columns
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_identity = 'NO'
    GROUP BY table_name HAVING bool_or(column_name IN ('project', 'worktree', 'uuid'))`);
  return rows;
}

async function copyRows(
  client: pg.Client,
  { name, columns }: CopiedTable,
  first: { readonly project: number; readonly worktree: number },
  [from, to]: readonly [number, number],
): Promise<void> {
  const isOwner = name === 'projects' || name === 'worktrees';
  const value = (column: string, type: string): string => {
    const isNumber = ['project', 'worktree'].includes(column) || (isOwner && column === 'id');
    if (isNumber) return `t.${column} + ${NUMBERS_EACH} * copy.number`;
    if (isOwner && type === 'uuid') return 'gen_random_uuid()';
    return name === 'projects' && column === 'name' ? "'copy ' || copy.number" : `t.${column}`;
  };
  const names = columns.map((column) => column.name).join(', ');
  const values = columns.map((column) => value(column.name, column.type)).join(', ');
  const isOfWorktree = columns.some((column) => column.name === 'worktree');
  const key = isOwner ? 'id' : isOfWorktree ? 'worktree' : 'project';
  const copied = isOfWorktree || name === 'worktrees' ? first.worktree : first.project;
  await client.query(
    `INSERT INTO ${name} (${names}) SELECT ${values} FROM ${name} AS t
     CROSS JOIN generate_series($1::integer, $2) AS copy(number) WHERE t.${key} = $3`,
    [from, to - 1, copied],
  );
}
