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
  /** Null when it could not be found out. */
  readonly message: CurrentMessage | null;
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
      // A tool without a name is for the executor to complain about.
      const call = this.#tools.has(tool?.name) ? this.#callOf(tool.name, params) : null;
      const capture = call === null ? null : await this.#before(call);
      try {
        return await executor(tool, params, context);
      } finally {
        if (call !== null && capture !== null) await this.#after(call, capture);
      }
    };
  }

  /** Null while no session runs. */
  #callOf(tool: string, params: unknown): WriteCall | null {
    const filePath = pathIn(params);
    try {
      const message = this.#options.getCurrentSession() ?? null;
      return message === null ? null : { tool, filePath, message };
    } catch (error) {
      this.#note({ tool, filePath, message: null, error });
      return null;
    }
  }

  async #before(call: WriteCall): Promise<Capture | null> {
    const { tool, filePath } = call;
    try {
      if (filePath === null) {
        throw new SavepointError('argument-invalid', `the tool ${tool} named no file`, {
          hint: `expected one of the parameters ${PATH_PARAMETERS.join(', ')}`,
        });
      }
      const { sessionId, messageId } = call.message;
      const { service } = this.#options;
      return await service.captureBefore(sessionId, messageId, filePath, randomUUID());
    } catch (error) {
      this.#note({ ...call, error });
      return null;
    }
  }

  async #after(call: WriteCall, capture: Capture): Promise<void> {
    try {
      await this.#options.service.captureAfter(capture);
    } catch (error) {
      this.#note({ ...call, error });
    }
  }

  #note(failure: CaptureFailure): void {
    this.failures.push(failure);
    const error = failure.error instanceof Error ? failure.error.message : String(failure.error);
    const filePath = failure.filePath ?? '(no path)';
    const { message } = failure;
    if (message !== null) this.#options.service.noteFailure(message.sessionId, { filePath, error });
    try {
      this.#options.onCaptureFailure?.(failure);
    } catch {
      // The listener's own trouble must not stop the tool; the failure itself is on record above.
    }
  }
}

/** One call of a tool that writes, in a running session. */
interface WriteCall {
  readonly tool: string;
  readonly filePath: string | null;
  readonly message: CurrentMessage;
}

function pathIn(params: unknown): string | null {
  if (typeof params !== 'object' || params === null) return null;
  for (const name of PATH_PARAMETERS) {
    const value = ownValue(params, name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** Own properties only: a "__proto__" in a model's JSON must not answer for a missing path. */
function ownValue(params: object, name: string): unknown {
  try {
    return Object.hasOwn(params, name) ? (params as Record<string, unknown>)[name] : undefined;
  } catch {
    // A property that throws names no file; and looking for it must not stop the tool.
    return undefined;
  }
}
