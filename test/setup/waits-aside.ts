import { setTimeout } from 'node:timers/promises';

const TURNS = 20;

/** Whether the event loop turned often while the work was still waiting. However slow the machine is. */
export async function waitsAside(work: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  for (let turns = 0; turns < TURNS && !isOver; turns += 1) await setTimeout(2);
  return !isOver;
}
