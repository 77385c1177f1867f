import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKSystemMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from '@anthropic-ai/claude-agent-sdk';
import type { Prompt } from './conversation.ts';

/** Who takes which message. */
export interface MessageHandlers {
  onInit(message: SDKSystemMessage): void;
  onUser(message: SDKUserMessage | SDKUserMessageReplay): void;
  onAssistant(message: SDKAssistantMessage): void;
  onPartial(message: SDKPartialAssistantMessage): void;
  onResult(message: SDKResultMessage): void;
}

/** Between what a person writes and what the SDK speaks. */
export class MessageRouter {
  /** The prompt under the uuid that was chosen for it; what is for the agent alone stands before it. */
  buildStreamMessage({ uuid, text, context }: Prompt): SDKUserMessage {
    const texts = [...context.filter((one) => one !== ''), text];
    const content = texts.map((one) => ({ type: 'text' as const, text: one }));
    return {
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      uuid: uuid as NonNullable<SDKUserMessage['uuid']>,
    };
  }

  /** Newer SDKs send kinds of messages that nobody here knows: those are passed over. */
  route(message: SDKMessage, handlers: MessageHandlers): void {
    if (message.type === 'user') handlers.onUser(message);
    else if (message.type === 'assistant') handlers.onAssistant(message);
    else if (message.type === 'stream_event') handlers.onPartial(message);
    else if (message.type === 'result') handlers.onResult(message);
    else if (message.type === 'system' && message.subtype === 'init') handlers.onInit(message);
  }
}
