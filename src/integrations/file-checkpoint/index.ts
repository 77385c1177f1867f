export {
  type CaptureFailure,
  type CurrentMessage,
  FILE_WRITE_TOOLS,
  FileCheckpointMiddleware,
  type FileCheckpointMiddlewareOptions,
  type NamedTool,
  PATH_PARAMETERS,
  type ToolArguments,
  type ToolExecutor,
  type ToolNotice,
} from './file-checkpoint-middleware.ts';
export {
  type CaptureOptions,
  type FileCheckpointOptions,
  FileCheckpointService,
} from './file-checkpoint-service.ts';
export type { FileCheckpoint } from './file-rows.ts';
export type { FileError, FileReason, RewindFailure, RewindResult } from './rewind-result.ts';
