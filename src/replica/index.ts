export { Application, runReplica } from './application.ts';
export type { ReplicaIo, ReplicaRequest } from './request.ts';
