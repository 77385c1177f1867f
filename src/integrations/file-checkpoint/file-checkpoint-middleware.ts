import { randomUUID } from 'node:crypto';
import { type Capture, SavepointError } from '../../index.ts';
import type { FileCheckpointService } from './file-checkpoint-service.ts';

/** Tools that write one file, by the names that agents commonly give them. */
export const FILE_WRITE_TOOLS: readonly string[] = ['write_file', 'edit_file'];

/** Parameters under which tools name the file they write, in the order they are tried. */
export const PATH_PARAMETERS: readonly string[] = [
  'file_path',
  'path',
  'filePath',
  'notebook_path',
];

/** Any function that runs a tool. */
export type ToolExecutor<Tool extends NamedTool, Params, Context, Result> = (
  tool: Tool,
  params: Params,
  context: Context,
) => Promise<Result>;

export interface NamedTool {
  readonly name: string;
}

export interface CurrentMessage {
  readonly sessionId: string;
  readonly messageId: string;
}

export interface CaptureFailure {
  readonly tool: string;
  readonly filePath: string | null;
  readonly message: CurrentMessage;
  readonly error: unknown;
}

export interface FileCheckpointMiddlewareOptions {
  readonly service: FileCheckpointService;
  /** Null while no session runs; nothing is captured then. */
  readonly getCurrentSession: () => CurrentMessage | null;
  /** Replaces `FILE_WRITE_TOOLS`. */
  readonly tools?: readonly string[];
  /** Told of every capture that failed. The tool runs all the same. */
  readonly onCaptureFailure?: (failure: CaptureFailure) => void;
}

/** Puts a capture before and after every tool that writes a file. */
export class FileCheckpointMiddleware {
  /** Captures that failed so far; later rewinds of the session name them as errors too. */
  readonly failures: CaptureFailure[] = [];
  readonly #options: FileCheckpointMiddlewareOptions;
  readonly #tools: ReadonlySet<string>;

  constructor(options: FileCheckpointMiddlewareOptions) {
    this.#options = options;
    this.#tools = new Set(options.tools ?? FILE_WRITE_TOOLS);
  }

  /** A failing capture never stops the tool. The tool's own result or error passes through as it is. */
  wrap<Tool extends NamedTool, Params, Context, Result>(
    executor: ToolExecutor<Tool, Params, Context, Result>,
  ): ToolExecutor<Tool, Params, Context, Result> {
    return async (tool, params, context) => {
      const message = this.#tools.has(tool.name) ? this.#options.getCurrentSession() : null;
      if (message === null) return executor(tool, params, context);
      const capture = await this.#before(tool.name, params, message);
      try {
        return await executor(tool, params, context);
      } finally {
        if (capture !== null) await this.#after(tool.name, params, message, capture);
      }
    };
  }

  async #before(tool: string, params: unknown, message: CurrentMessage): Promise<Capture | null> {
    try {
      const filePath = pathIn(params);
      if (filePath === null) {
        throw new SavepointError('argument-invalid', `the tool ${tool} named no file`, {
          hint: `expected one of the parameters ${PATH_PARAMETERS.join(', ')}`,
        });
      }
      const { service } = this.#options;
      const { sessionId, messageId } = message;
      return await service.captureBefore(sessionId, messageId, filePath, randomUUID());
    } catch (error) {
      this.#note({ tool, filePath: pathIn(params), message, error });
      return null;
    }
  }

  async #after(
    tool: string,
    params: unknown,
    message: CurrentMessage,
    capture: Capture,
  ): Promise<void> {
    try {
      await this.#options.service.captureAfter(capture);
    } catch (error) {
      this.#note({ tool, filePath: pathIn(params), message, error });
    }
  }

  #note(failure: CaptureFailure): void {
    this.failures.push(failure);
    const error = failure.error instanceof Error ? failure.error.message : String(failure.error);
    const filePath = failure.filePath ?? '(no path)';
    this.#options.service.noteFailure(failure.message.sessionId, { filePath, error });
    try {
      this.#options.onCaptureFailure?.(failure);
    } catch {
      // The listener's own trouble must not stop the tool; the failure itself is on record above.
    }
  }
}

function pathIn(params: unknown): string | null {
  if (typeof params !== 'object' || params === null) return null;
  for (const name of PATH_PARAMETERS) {
    // Own properties only: a "__proto__" in a model's JSON must not answer for a missing path.
    const value: unknown = Object.hasOwn(params, name)
      ? (params as Record<string, unknown>)[name]
      : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}
