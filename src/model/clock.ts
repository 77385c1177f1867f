/**
 * Milliseconds of a clock that never goes back, for waiting and deadlines. The global `performance` would do, but
 * its first use loads a module of Node's, which takes a millisecond of each command and hook.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
