export type { PostgresOptions, PostgresTls } from './options.ts';
export { PostgresStorage, type PostgresStorageOptions } from './postgres-storage.ts';
export { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
