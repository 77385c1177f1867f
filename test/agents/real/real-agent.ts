import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentName } from '../../../src/agents/agent-adapter.ts';
import type { ProtocolName } from '../model/model.ts';
import type { ToolFor } from '../model/script.ts';

/** The folders of one story. */
export interface Places {
  /** The home directory that the agent is given. */
  readonly home: string;
  readonly project: string;
}

/** An agent as it comes from npm, and how it is set up for the story's model. */
export interface InstalledAgent {
  /** As `savepoint init --agent` and `savepoint hook` know it. */
  readonly name: AgentName;
  /** The name of its program on PATH. */
  readonly program: string;
  /** The file of that program, which npm installed. */
  readonly file: string;
  readonly protocol: ProtocolName;
  readonly toolFor: (project: string) => ToolFor;
  /** How long its model takes for an answer, where the agent does not wait for its hook at a prompt. */
  readonly thinkMs?: number;
  /** Variables beside PATH and HOME. */
  env(modelUrl: string): Record<string, string>;
  /** Writes the settings that a person would have: the model, and no questions. Hooks are not among them. */
  settle(places: Places, modelUrl: string): void;
}

/** An agent that is given its prompts without a terminal. */
export interface PromptedAgent extends InstalledAgent {
  /** The arguments for one prompt without a terminal, in a new session or in one that goes on. */
  once(prompt: string, sessionId: string | null): string[];
  /** The id of the session, from what the first prompt printed. */
  sessionIn(output: string): string | undefined;
}

/** An agent that is given its prompts at a terminal, because it goes on with a session nowhere else. */
export interface TypedAgent extends InstalledAgent {
  readonly interactive: AtTerminal;
}

/** An agent that is also tried at a terminal. */
export interface RealAgent extends PromptedAgent {
  readonly interactive: Interactive;
}

/** The agent at a terminal. */
export interface AtTerminal {
  readonly args: readonly string[];
  /** On the screen once it waits for the first prompt. */
  readonly ready: string;
}

/** The agent at a terminal, with somebody who stops it. */
export interface Interactive extends AtTerminal {
  /** A question at the start, and the keys that answer it. */
  readonly question?: { readonly text: string; readonly keys: string };
  /** How often Esc has to be pressed to stop it. */
  readonly escapes: number;
  /** On the screen once it was stopped. */
  readonly interrupted: string;
}

export function putFile(path: string, content: string | object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
  );
}

/** Where `test/agents/package.json` is installed; that of `more` for the agents of the short story. */
export function installed(path: string): string {
  return join(import.meta.dirname, '..', 'node_modules', path);
}
