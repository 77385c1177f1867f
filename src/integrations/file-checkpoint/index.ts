export {
  type CaptureFailure,
  type CurrentMessage,
  FILE_WRITE_TOOLS,
  FileCheckpointMiddleware,
  type FileCheckpointMiddlewareOptions,
  type ToolArguments,
  type ToolExecutor,
  type ToolNotice,
} from './file-checkpoint-middleware.ts';
export {
  type CaptureOptions,
  type FileCheckpointOptions,
  FileCheckpointService,
} from './file-checkpoint-service.ts';
export { type NamedTool, PATH_PARAMETERS } from './tool-call.ts';
export type {
  FileCheckpoint,
  FileError,
  FileReason,
  RewindFailure,
  RewindResult,
} from './types.ts';
