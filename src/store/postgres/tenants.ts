import { SavepointError } from '../../model/errors.ts';

/** The tables whose rows belong to a worktree. */
export const WORKTREE_TABLES: readonly string[] = [
  ...['sessions', 'checkpoints', 'windows', 'heads', 'changes', 'private_paths', 'cancellations'],
  ...['operations', 'meta', 'executions', 'steps'],
];

/** The tables whose rows belong to a project, with all its worktrees. */
export const PROJECT_TABLES: readonly string[] = [
  'blobs',
  'pieces',
  'packed',
  'parts',
  'documents',
];

// The numbers of projects and worktrees say whose they are: the upper bits are the tenant's. So a row is looked at
// alone, whatever else there is.
const TENANT_SHIFT = 20;
export const NUMBERS_EACH: number = 2 ** TENANT_SHIFT;
export const MOST_TENANTS: number = 2 ** (31 - TENANT_SHIFT) - 1;

/** The number of the tenant that asks. The server looks it up once for each statement. */
export const TENANT = '(SELECT tenants.id FROM tenants WHERE tenants.role = current_user)';

/** For a WITH: takes the next number of the tenant that asks. */
export const NEXT_NUMBER: string = `next AS (
  UPDATE tenants SET last = last + 1 WHERE role = current_user
  RETURNING id AS tenant, id << ${TENANT_SHIFT} | last AS number)`;

/**
 * A tenant is a role of the server. It sees the projects that it made and what belongs to them, and nobody can become
 * a role that he is not a member of. This counts for the owner of the tables as well. It is checked before anything
 * that is unique or refers to something: no error tells of a row of somebody else's.
 */
export function rowSecuritySql(): string[] {
  const isOwn = (column: string): string => `${column} >> ${TENANT_SHIFT} = ${TENANT}`;
  const policies = new Map([
    ['tenants', 'role = current_user'],
    ['projects', `${isOwn('id')} AND tenant = ${TENANT}`],
    ['worktrees', `${isOwn('id')} AND ${isOwn('project')}`],
    ...WORKTREE_TABLES.map((table) => [table, isOwn('worktree')] as const),
    ...PROJECT_TABLES.map((table) => [table, isOwn('project')] as const),
    // It says both.
    ['packed', `${isOwn('project')} AND ${isOwn('worktree')}`],
  ]);
  return [...policies].flatMap(([table, condition]) => [
    `CREATE POLICY tenant ON ${table} USING (${condition})`,
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
  ]);
}

/** What the owner of the tables gives to a role that is to have projects of its own. Never TRUNCATE: it sees no rows. */
export function grantsSql(schema: string, tenant: string): string[] {
  const role = quoted(tenant);
  const tables = ['projects', 'worktrees', ...WORKTREE_TABLES, ...PROJECT_TABLES];
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `GRANT SELECT ON ${schema}.format TO ${role}`,
    // Its number is given to a tenant, and stays.
    `GRANT SELECT, INSERT (role), UPDATE (last) ON ${schema}.tenants TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.map((table) => `${schema}.${table}`).join(', ')} TO ${role}`,
  ];
}

function quoted(name: string): string {
  if (name !== '' && !name.includes('\0')) return `"${name.replaceAll('"', '""')}"`;
  throw new SavepointError('argument-invalid', 'a tenant is the name of a role');
}
