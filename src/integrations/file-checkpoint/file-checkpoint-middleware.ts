import { randomUUID } from 'node:crypto';
import { type Capture, SavepointError } from '../../index.ts';
import type { FileCheckpointService } from './file-checkpoint-service.ts';

/** Tools that write one file, by the names that agents commonly give them. */
export const FILE_WRITE_TOOLS: readonly string[] = [
  'write_file',
  'edit_file',
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
];

/** Parameters under which tools name the file they write, in the order they are tried. */
export const PATH_PARAMETERS: readonly string[] = [
  'file_path',
  'path',
  'filePath',
  'notebook_path',
];

/** A tool as executors get it: by its name, or as an object that has one. */
export type NamedTool = string | { readonly name: string };

/** The arguments of an executor: the tool, mostly its parameters next, and any others after them. */
export type ToolArguments = [tool: NamedTool, ...rest: unknown[]];

/** Any function that runs a tool. */
export type ToolExecutor<Args extends ToolArguments, Result> = (...args: Args) => Promise<Result>;

export interface CurrentMessage {
  readonly sessionId: string;
  readonly messageId: string;
  /** What the user said, for people who look for the way back: lists show it. */
  readonly description?: string | undefined;
}

export interface CaptureFailure {
  readonly tool: string;
  readonly filePath: string | null;
  /** Null when it could not be found out. */
  readonly message: CurrentMessage | null;
  readonly error: unknown;
}

/** A tool that named a file and is not among those that write. */
export interface ToolNotice {
  readonly tool: string;
  readonly filePath: string;
}

export interface FileCheckpointMiddlewareOptions {
  readonly service: FileCheckpointService;
  /** Null while no session runs; nothing is captured then. */
  readonly getCurrentSession: () => CurrentMessage | null;
  /** Replaces `FILE_WRITE_TOOLS`. */
  readonly tools?: readonly string[];
  /** Told of every capture that failed. The tool runs all the same. */
  readonly onCaptureFailure?: (failure: CaptureFailure) => void;
  /** Told once of each tool that named a file and was not recorded. */
  readonly onNotice?: (notice: ToolNotice) => void;
}

const NO_NAME = '(no name)';
// Models invent tools: their names must not fill the memory.
const MAX_NOTICES = 100;

/** Puts a capture before and after every tool that writes a file. */
export class FileCheckpointMiddleware {
  /** Captures that failed so far; later rewinds of the session name them as errors too. */
  readonly failures: CaptureFailure[] = [];
  /**
   * Tools that named a file and were not recorded, once each, the first hundred. Right for a tool that
   * reads; one that writes is missing in `tools`.
   */
  readonly notices: ToolNotice[] = [];
  readonly #options: FileCheckpointMiddlewareOptions;
  readonly #tools: ReadonlySet<string>;

  constructor(options: FileCheckpointMiddlewareOptions) {
    this.#options = options;
    this.#tools = new Set(options.tools ?? FILE_WRITE_TOOLS);
  }

  /**
   * The executor is called with a tool's name, or an object with a `name`, and then the parameters; or
   * with one object that has them too, as `input`, `arguments` or `params`. A failing capture never
   * stops the tool. The tool's own result or error passes through as it is.
   */
  wrap<Args extends ToolArguments, Result>(
    executor: ToolExecutor<Args, Result>,
  ): ToolExecutor<Args, Result> {
    return async (...args) => {
      const call = this.#writeCall(args[0], args[1]);
      const capture = call === null ? null : await this.#before(call);
      try {
        return await executor(...args);
      } finally {
        if (call !== null && capture !== null) await this.#after(call, capture);
      }
    };
  }

  /** Null for a tool that does not write, and while no session runs. */
  #writeCall(named: unknown, params: unknown): WriteCall | null {
    const tool = toolName(named);
    const filePath = namedFile(named, params);
    if (tool !== null && !this.#tools.has(tool)) {
      if (filePath !== null) this.#notice({ tool, filePath });
      return null;
    }
    try {
      const message = this.#options.getCurrentSession() ?? null;
      return message === null ? null : { tool, filePath, message };
    } catch (error) {
      this.#note({ tool, filePath, message: null }, error);
      return null;
    }
  }

  async #before(call: WriteCall): Promise<Capture | null> {
    const { tool, filePath } = call;
    try {
      if (tool === null) throw unnamedTool();
      if (filePath === null) throw unnamedFile(tool);
      const { sessionId, messageId, description: said } = call.message;
      // Words of any other kind must not cost the file its checkpoint.
      const description = typeof said === 'string' && said !== '' ? said : undefined;
      const options = { toolCallId: randomUUID(), description };
      return await this.#options.service.captureBefore(sessionId, messageId, filePath, options);
    } catch (error) {
      this.#note(call, error);
      return null;
    }
  }

  async #after(call: WriteCall, capture: Capture): Promise<void> {
    try {
      await this.#options.service.captureAfter(capture);
    } catch (error) {
      this.#note(call, error);
    }
  }

  #note({ tool, filePath, message }: Attempt, error: unknown): void {
    const failure = { tool: tool ?? NO_NAME, filePath, message, error };
    this.failures.push(failure);
    const reason = error instanceof Error ? error.message : String(error);
    if (message !== null) {
      const named = { filePath: filePath ?? '(no path)', error: reason };
      this.#options.service.noteFailure(message.sessionId, named);
    }
    undisturbed(() => this.#options.onCaptureFailure?.(failure));
  }

  #notice(notice: ToolNotice): void {
    const known = this.notices.some(({ tool }) => tool === notice.tool);
    if (known || this.notices.length >= MAX_NOTICES) return;
    this.notices.push(notice);
    undisturbed(() => this.#options.onNotice?.(notice));
  }
}

/** A call that is to be captured. The tool is null when it came without a name. */
interface Attempt {
  readonly tool: string | null;
  readonly filePath: string | null;
  readonly message: CurrentMessage | null;
}

interface WriteCall extends Attempt {
  readonly message: CurrentMessage;
}

/** A listener's own trouble must not stop the tool; what it was told is on record already. */
function undisturbed(tell: () => void): void {
  try {
    tell();
  } catch {}
}

function unnamedTool(): SavepointError {
  return new SavepointError('argument-invalid', 'the tool has no name', {
    hint: 'call the wrapped executor with the name of the tool, or with an object that has one',
  });
}

function unnamedFile(tool: string): SavepointError {
  return new SavepointError('argument-invalid', `the tool ${tool} named no file`, {
    hint: `expected one of the parameters ${PATH_PARAMETERS.join(', ')}`,
  });
}

/** Where an object that is a whole call keeps its parameters. */
const CALL_PARAMETERS = ['input', 'arguments', 'params'];

/** Null where there is no name: an executor may be called with any value. */
function toolName(tool: unknown): string | null {
  const name = typeof tool === 'string' ? tool : propertyOf(tool, 'name');
  return typeof name === 'string' && name !== '' ? name : null;
}

/**
 * The file that a call names: `run('write_file', { path })`, `run({ name }, { path })` or
 * `run({ name, input: { path } })`. A tool's own description may look like the last, so it is read first
 * and has to hold a path.
 */
function namedFile(tool: unknown, params: unknown): string | null {
  for (const place of CALL_PARAMETERS) {
    const found = pathIn(fromJson(ownValue(tool, place)));
    if (found !== null) return found;
  }
  return pathIn(fromJson(params));
}

function pathIn(params: unknown): string | null {
  for (const name of PATH_PARAMETERS) {
    const value = ownValue(params, name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** Some models' calls carry their parameters as the JSON that the model wrote. */
function fromJson(params: unknown): unknown {
  if (typeof params !== 'string') return params;
  try {
    return JSON.parse(params);
  } catch {
    return null;
  }
}

/** Own properties only: a "__proto__" in a model's JSON must not answer for a missing path. */
function ownValue(holder: unknown, name: string): unknown {
  try {
    return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
      ? propertyOf(holder, name)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A property that throws is none: looking for it must not stop the tool. */
function propertyOf(holder: unknown, name: string): unknown {
  try {
    return (holder as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}
