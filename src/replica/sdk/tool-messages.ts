import type { SDKAssistantMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { ToolResultShown, ToolUseShown } from '../ui/interactive-ui.ts';

export function toolUsesOf({ message }: SDKAssistantMessage): ToolUseShown[] {
  return message.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, name: block.name, input: fieldsOf(block.input) }]
      : [],
  );
}

export function toolResultsOf({ message }: Pick<SDKUserMessage, 'message'>): ToolResultShown[] {
  if (typeof message.content === 'string') return [];
  return message.content.flatMap((block) =>
    block.type === 'tool_result'
      ? [{ id: block.tool_use_id, text: textOf(block.content), isError: block.is_error === true }]
      : [],
  );
}

/** Pictures and the like are named, not shown. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: unknown) => {
      const { type, text } = fieldsOf(block);
      return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'something'}]`;
    })
    .join('\n');
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
