export type { PostgresProjectOptions } from './open-project.ts';
export type { PostgresOptions, PostgresTls } from './options.ts';
export { PostgresStorage, type PostgresStorageOptions } from './postgres-storage.ts';
export { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
export { type PostgresSqlOptions, postgresSql } from './schema.ts';
export { removeWorktree } from './worktrees.ts';
