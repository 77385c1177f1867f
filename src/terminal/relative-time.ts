const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago something was, as people say it; a date once that says more. */
export function relativeTime(then: number, now: number): string {
  const seconds = Math.floor((now - then) / 1000);
  // A clock that went back is no reason to speak of the future.
  if (seconds < -MINUTE) return dateOf(then);
  if (seconds < 10) return 'just now';
  if (seconds < MINUTE) return `${seconds} seconds ago`;
  if (seconds < HOUR) return ago(seconds / MINUTE, 'minute');
  if (seconds < DAY) return ago(seconds / HOUR, 'hour');
  if (seconds < 30 * DAY) return ago(seconds / DAY, 'day');
  return dateOf(then);
}

function ago(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}

function dateOf(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? 'at some time' : date.toISOString().slice(0, 10);
}

/** The time itself, in the zone of whoever reads it. */
export function exactTime(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return 'at some time';
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
