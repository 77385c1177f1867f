import type { PermissionResult } from '@anthropic-ai/claude-agent-sdk';
import { displayText } from '../../index.ts';
import type { InteractiveUI } from '../ui/interactive-ui.ts';

/** The agent's way to ask the person something; the answers go back with the permission. */
export const QUESTION_TOOL = 'AskUserQuestion';

type Input = Record<string, unknown>;

export async function answerQuestions(
  ui: Pick<InteractiveUI, 'select'>,
  input: Input,
): Promise<PermissionResult> {
  const answers: Record<string, string> = {};
  for (const { question, labels, items } of questionsIn(input)) {
    const chosen = await ui.select(displayText(question), items);
    const answer = chosen === null ? undefined : labels[Number(chosen)];
    if (answer === undefined) return { behavior: 'deny', message: UNANSWERED };
    answers[question] = answer;
  }
  return { behavior: 'allow', updatedInput: { ...input, answers } };
}

const UNANSWERED = 'The user left the question without an answer.';

interface Question {
  readonly question: string;
  readonly labels: readonly string[];
  readonly items: readonly { readonly id: string; readonly text: string }[];
}

function questionsIn({ questions }: Input): Question[] {
  if (!Array.isArray(questions)) return [];
  return questions.flatMap((one: unknown) => {
    const { question, options } = fieldsOf(one);
    if (typeof question !== 'string' || !Array.isArray(options)) return [];
    const choices = options.map(fieldsOf);
    const labels = choices.map(({ label }) => String(label));
    const items = choices.map(({ description }, at) => {
      const explained = typeof description === 'string' ? `\n${displayText(description)}` : '';
      return { id: String(at), text: `${displayText(labels[at] ?? '')}${explained}` };
    });
    return [{ question, labels, items }];
  });
}

function fieldsOf(value: unknown): Input {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
