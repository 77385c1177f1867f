const SHOWN = 8;

/** The beginning of a session's id that names it alone among all of them. */
export function shortSession(id: string, all: readonly string[]): string {
  for (let length = SHOWN; length < id.length; length += 1) {
    const short = id.slice(0, length);
    if (all.every((other) => other === id || !other.startsWith(short))) return short.toWellFormed();
  }
  return id;
}
