import type { Call } from './command.ts';

/** Whether a person said yes. Only where somebody is there to be asked. */
export async function confirmed({ io }: Call, question: string): Promise<boolean> {
  const answer = await io.ask(`\n${question} [y/N] `);
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}
