import {
  invalidRequest,
  type MessagesRequest,
  type ReplyBlock,
  type ReplyTo,
  say,
  type ToolInput,
  useTool,
} from '../../../src/messages-server/index.ts';

/** Something that the model has an agent do, in no agent's own words. Paths are relative to the project. */
export type Act =
  | { readonly act: 'read'; readonly path: string }
  | { readonly act: 'write'; readonly path: string; readonly content: string }
  | { readonly act: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly act: 'run'; readonly command: string }
  /** The prompt of a sub-agent; the script has steps for it as well. */
  | { readonly act: 'delegate'; readonly prompt: string }
  /** Until the sub-agent has ended, for an agent that would leave it behind. */
  | { readonly act: 'wait' };

/** Acts that the model asks for in one reply. */
export type Step = readonly Act[];

/** The steps by the prompt that starts them. No prompt is part of another one. */
export type Story = Readonly<Record<string, readonly Step[]>>;

/** The tool of an agent that does an act. */
export type ToolFor = (act: Act) => { readonly name: string; readonly input: ToolInput };

/**
 * Replies as a story says, and `Done.` after its last step. The number of answered calls since the prompt tells
 * which step is due: agents differ in how they cut a conversation into messages, and each of them answers
 * every call once.
 */
export function tell(story: Story, toolFor: ToolFor): ReplyTo {
  return (request) => {
    const place = placeIn(story, request);
    if (place === null) return invalidRequest('The story has no such prompt.');
    let answered = place.answered;
    for (const step of story[place.prompt] ?? []) {
      if (answered <= 0) return step.map((act) => callOf(toolFor(act)));
      answered -= step.length;
    }
    return [say(DONE)];
  };
}

export const DONE = 'Done.';

function callOf({ name, input }: ReturnType<ToolFor>): ReplyBlock {
  return useTool(name, input);
}

export interface Place {
  readonly prompt: string;
  /** How many calls of tools were answered since. */
  readonly answered: number;
}

/** Where a conversation is in a story: at the last of its prompts that a user's message holds. */
export function placeIn(story: Story, { messages }: MessagesRequest): Place | null {
  let place = null as Place | null;
  for (const { role, content } of messages) {
    for (const block of content) {
      if (block.type === 'tool_result' && place !== null) {
        place = { ...place, answered: place.answered + 1 };
      }
      if (block.type !== 'text' || role !== 'user') continue;
      const prompt = Object.keys(story).find((key) => block.text.includes(key));
      if (prompt !== undefined) place = { prompt, answered: 0 };
    }
  }
  return place;
}
