import type { AgentName } from './agent-adapter.ts';
import type { HookEvents, OurHook } from './hook-settings.ts';

/**
 * Where an agent is set up. `user`: for all projects of this user. `project`: for everybody who has the
 * project, in files that git tracks. `local`: for this user in this project.
 */
export const SCOPES = ['user', 'project', 'local'] as const;

export type Scope = (typeof SCOPES)[number];

/** The folders and variables that decide where the files of agents are. */
export interface Places {
  readonly homeDirectory: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file that is wholly ours. */
export interface OwnFile {
  readonly file: string;
  readonly content: string;
  /** Whether the agent runs it. */
  readonly isProgram?: true;
}

/** A hook of ours, and where it is registered. */
export interface RegisteredHook extends OurHook {
  readonly scope: Scope;
  readonly file: string;
}

/** How one agent is set up: which files hold hooks, and what is written there. */
export interface AgentSettings {
  readonly name: AgentName;
  /** As people call it. */
  readonly title: string;
  /** The name of its program. */
  readonly program: string;
  /** Folders that are there where somebody has used it. */
  homes(places: Places): readonly string[];
  /** The file of settings with hooks in Claude Code's format; null where the agent has none in a scope. */
  hooksFile?(scope: Scope, places: Places): string | null;
  readonly hooks?: HookEvents;
  /** Whole files of ours. `program`: the word of a shell that runs `savepoint`. */
  ownFiles?(scope: Scope, places: Places, program: string): readonly OwnFile[];
  /** Another file that the agent reads instead: where it is there, hooks in `hooksFile` would not run. */
  readsInstead?(scope: Scope, places: Places): string;
  /** Settings with which a person has switched off all hooks. */
  readonly switchedOffBy?: readonly { readonly path: readonly string[]; readonly value: boolean }[];
  /** The hooks that the agent does not run because nobody has trusted them; read, never granted. */
  untrusted?(hooks: readonly RegisteredHook[], places: Places): readonly RegisteredHook[];
  /** What a person still has to do so that hooks run. */
  readonly toTrust?: Readonly<Partial<Record<Scope, string>>>;
}
