import { schemaOf } from './connect.ts';
import { tablesSql } from './schema.ts';
import { grantsSql } from './tenants.ts';

export interface PostgresSqlOptions {
  /** Where the tables are to be; `savepoint` when left out. */
  readonly schema?: string;
  /** Roles that are to have projects of their own on these tables. */
  readonly tenants?: readonly string[];
  /** False: only what the tenants are given, for tables that are there. */
  readonly tables?: boolean;
}

/**
 * What an operator runs as the role that is to own the tables, where agents connect with roles that own nothing and can
 * make nothing. Roles are made by whoever may do so.
 */
export function postgresSql({
  tenants = [],
  tables = true,
  ...options
}: PostgresSqlOptions): string {
  const schema = schemaOf(options);
  const statements = [
    'BEGIN',
    ...(tables ? tablesSql(schema) : []),
    ...tenants.flatMap((tenant) => grantsSql(schema, tenant)),
    'COMMIT',
  ];
  // The tables are made where the path looks first.
  return [`SET search_path = ${schema}`, ...statements].map((one) => `${one};\n`).join('');
}
