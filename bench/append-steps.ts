import { type ExecutionRun, openSavepoint } from 'savepoint';

const BYTES = 400;

export interface Appended {
  messages: { readonly role: string; readonly content: string }[];
}

/** Steps that each append one message, which is never the same twice. */
export async function appendTo(run: ExecutionRun<Appended>, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) {
    await run.step('append', ({ state }) => {
      const content = `${run.done} `.repeat(BYTES).slice(0, BYTES);
      state.messages.push({ role: 'assistant', content });
    });
  }
}

/** By itself: says how many bytes of memory a process has had at most that appended so many. */
if (import.meta.main) {
  const [project = '', home = '', count = '0'] = process.argv.slice(2);
  const savepoint = await openSavepoint({ project, home });
  const run = await savepoint.execution<Appended>('append', { state: { messages: [] } });
  await appendTo(run, Number(count));
  await savepoint.close();
  console.log(process.resourceUsage().maxRSS * 1024);
}
