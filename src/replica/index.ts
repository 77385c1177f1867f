export { runReplica } from './application.ts';
export type { PrintedConfig, PrintedSessions, ReplicaIo, ReplicaRequest } from './request.ts';
export type { PrintedTurn } from './runners/print-runner.ts';
