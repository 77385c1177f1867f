import type { EffectiveValue } from './config/replica-settings.ts';
import type { Session } from './sessions/session-manager.ts';
/** What somebody asks of the interactive agent. */
export interface ReplicaRequest {
  readonly verb: 'chat' | 'print' | 'config' | 'sessions';
  /** Sent at once; of `print` the whole of it. */
  readonly prompt: string | null;
  readonly json: boolean;
  /** Id, beginning of an id or name of a conversation to take up; `latest` for the newest here. */
  readonly resume: string | null;
  readonly model: string | null;
  readonly permissionMode: string | null;
  readonly project: string;
  /** The demonstration model, whatever credentials there are. */
  readonly offline: boolean;
  /** A scratch project to play in. */
  readonly demo: boolean;
  readonly noColor: boolean;
}

/** The process that it runs in, as far as it may touch it. */
export interface ReplicaIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
  /** Whether a person sits there. */
  readonly interactive: boolean;
  readonly terminal: boolean;
  out(text: string): void;
  err(text: string): void;
  ask(question: string): Promise<string | null>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly interrupts: {
    /** Runs `tidy` should the process be ended by a signal. Returns how to take that back. */
    onInterrupt(tidy: () => void): () => void;
    /** While another program has the terminal, signals are for that program. */
    during<T>(work: () => Promise<T>, pass: (signal: NodeJS.Signals) => void): Promise<T>;
  };
}

/** What `config --json` prints. */
export interface PrintedConfig {
  readonly version: 1;
  readonly settings: readonly (Omit<EffectiveValue, 'key'> & { readonly key: string })[];
  readonly warnings: readonly string[];
}

/** What `sessions --json` prints. */
export interface PrintedSessions {
  readonly version: 1;
  readonly sessions: readonly PrintedSession[];
  readonly problems: readonly string[];
}

export interface PrintedSession extends Pick<Session, 'id' | 'name' | 'project' | 'parentId'> {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly prompts: number;
}
