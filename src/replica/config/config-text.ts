import { displayText } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { padWidth, textWidth } from '../../terminal/text-width.ts';
import type { PrintedConfig } from '../request.ts';
import type { EffectiveValue } from './replica-config.ts';

/** A line for each setting: its name, its value and where that comes from. */
export function configText(effective: readonly EffectiveValue[], paint: Paint): string[] {
  const rows = effective.flatMap(rowsOf);
  const keys = Math.max(...rows.map(({ key }) => key.length));
  const values = Math.max(...rows.map(({ value }) => textWidth(value)));
  return rows.map(
    ({ key, value, from }) =>
      `${key.padEnd(keys)}  ${padWidth(value, values)}  ${paint('dim', from)}`,
  );
}

/** The same for programs. */
export function configJson(
  settings: readonly EffectiveValue[],
  warnings: readonly string[],
): PrintedConfig {
  return { version: 1, settings, warnings };
}

interface Row {
  readonly key: string;
  readonly value: string;
  readonly from: string;
}

/** A list has a row for each of its entries. */
function rowsOf({ key, value, origin, source }: EffectiveValue): Row[] {
  const from = source === null ? origin : `${origin}  ${displayText(source)}`;
  return linesOf(value).map((line, at) => ({
    key: at === 0 ? key : '',
    value: line,
    from: at === 0 ? from : '',
  }));
}

function linesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [displayText(String(value ?? 'none'))];
  const entries = Array.isArray(value)
    ? value.map(String)
    : Object.entries(value).map(([name, one]) => (one === null ? name : `${name}: ${one}`));
  return entries.length === 0 ? ['none'] : entries.map(displayText);
}
