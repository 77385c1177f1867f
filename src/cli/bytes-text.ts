const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;

/** A size as people say it. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}
