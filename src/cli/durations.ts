const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
// Long words are known by their first letter: "2 hours", "3d", "1 week".
const DURATION = /^(\d{1,6})\s*(s|m|h|d|w|(?:sec(?:ond)?|min(?:ute)?|hour|day|week)s?)$/;

/** A length of time as people type it, in milliseconds; null when it is none. */
export function durationOf(text: string): number | null {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (unit === undefined) return null;
  return Number(amount) * SECONDS[unit.charAt(0) as keyof typeof SECONDS] * 1000;
}
