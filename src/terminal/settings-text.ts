import { displayText } from '../index.ts';
import type { Paint } from './paint.ts';
import { padWidth, textWidth } from './text-width.ts';

interface From {
  readonly value: unknown;
  readonly origin: string;
  /** The file or the variable; null for a default. */
  readonly source: string | null;
}

/** A setting, and where its value comes from. */
export interface ShownSetting extends From {
  readonly key: string;
  /** Where the entries of a list come from, since each place may have added some. */
  readonly parts?: readonly From[];
}

/** A row for each setting, and one for each entry of a list: its name, its value, where that comes from. */
export function settingsText(settings: readonly ShownSetting[], paint: Paint): string[] {
  const rows = settings.flatMap(rowsOf);
  const keys = Math.max(...rows.map(({ key }) => key.length));
  const values = Math.max(...rows.map(({ value }) => textWidth(value)));
  return rows.map(
    ({ key, value, from }) =>
      `${key.padEnd(keys)}  ${padWidth(value, values)}  ${paint('dim', from)}`,
  );
}

function rowsOf(setting: ShownSetting): { key: string; value: string; from: string }[] {
  const { parts = [] } = setting;
  const isList = Array.isArray(setting.value) && setting.value.length > 0;
  return (isList && parts.length > 0 ? parts : [setting])
    .flatMap(({ value, origin, source }) => {
      const from = source === null ? origin : `${origin}  ${displayText(source)}`;
      return settingLines(value).map((line) => ({ value: line, from }));
    })
    .map((row, at) => ({ ...row, key: at === 0 ? setting.key : '' }));
}

/** A value in lines that are safe to show; null and what is empty are `none`. */
export function settingLines(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [displayText(String(value ?? 'none'))];
  const entries = Array.isArray(value)
    ? value.map(String)
    : Object.entries(value).map(([name, one]) => (one === null ? name : `${name}: ${one}`));
  return entries.length === 0 ? ['none'] : entries.map(displayText);
}
