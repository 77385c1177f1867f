import {
  type MessagesServer,
  type ReplyTo,
  startMessagesServer,
} from '../../messages-server/index.ts';
import { type Script, scripted } from './script.ts';

/** A model that says what a script has it say; see `MessagesServer` for what it records. */
export type ScriptedModel = MessagesServer;

/**
 * Starts a model on 127.0.0.1 that an agent reaches by `ANTHROPIC_BASE_URL`. A script gives the replies to
 * each prompt; a function decides from the whole request.
 */
export async function startScriptedModel(script: Script | ReplyTo): Promise<ScriptedModel> {
  return startMessagesServer(typeof script === 'function' ? script : scripted(script));
}
