/** How often the event loop turned, as a timer sees it, while something was waited for. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 2);
  try {
    await work();
    return turns;
  } finally {
    clearInterval(timer);
  }
}
