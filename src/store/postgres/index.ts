export type { PostgresProjectOptions } from './open-project.ts';
export type { PostgresOptions, PostgresTls } from './options.ts';
export { type PostgresSqlOptions, postgresSql } from './postgres-sql.ts';
export { PostgresStorage, type PostgresStorageOptions } from './postgres-storage.ts';
export { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
export { removeWorktree } from './remove-worktree.ts';
