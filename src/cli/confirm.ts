import type { Call } from './command.ts';

/** Whether a person is there to be asked, and has not answered beforehand. */
export function asksFirst({ io, json, flags }: Call): boolean {
  return io.interactive && !json && !flags.has('yes');
}

/** Whether a person said yes. Only where somebody is there to be asked. */
export async function confirmed({ io }: Call, question: string): Promise<boolean> {
  const answer = await io.ask(`\n${question} [y/N] `);
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}
