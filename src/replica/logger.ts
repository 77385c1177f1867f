/** Where the agent writes down what happened; never the environment, never what a file holds. */
export interface Logger {
  info(message: string, details?: Readonly<Record<string, unknown>>): Promise<void>;
  warn(message: string, details?: Readonly<Record<string, unknown>>): Promise<void>;
  error(message: string, error?: unknown): Promise<void>;
}
