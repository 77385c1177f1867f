export {
  type CaptureFailure,
  type CurrentMessage,
  FILE_WRITE_TOOLS,
  FileCheckpointMiddleware,
  type FileCheckpointMiddlewareOptions,
  type NamedTool,
  PATH_PARAMETERS,
  type ToolExecutor,
} from './file-checkpoint-middleware.ts';
export { type FileCheckpointOptions, FileCheckpointService } from './file-checkpoint-service.ts';
export type { FileCheckpoint, FileError, FileReason, RewindResult } from './types.ts';
