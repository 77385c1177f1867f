import {
  type MessagesRequest,
  type MessagesServer,
  type ReplyTo,
  startMessagesServer,
} from '../../messages-server/index.ts';
import { type Script, scripted } from './script.ts';

/** A model that says what a script has it say. */
export interface ScriptedModel extends MessagesServer {
  /** Every request for a message, in the order in which they came, those without tools as well. */
  readonly requests: readonly MessagesRequest[];
}

/**
 * Starts a model on 127.0.0.1 that an agent reaches by `ANTHROPIC_BASE_URL`. A script gives the replies to
 * each prompt; a function decides from the whole request.
 */
export async function startScriptedModel(script: Script | ReplyTo): Promise<ScriptedModel> {
  const requests: MessagesRequest[] = [];
  const server = await startMessagesServer({
    replyTo: typeof script === 'function' ? script : scripted(script),
    onRequest: (request) => requests.push(request),
  });
  return { ...server, requests };
}
