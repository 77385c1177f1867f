import { isSavepointError } from '../../../model/errors.ts';
import { type Json, jsonToValue, valueToJson } from '../../../model/value/index.ts';
import { documentCorrupt } from '../base-storage.ts';

/**
 * What a file holds: the value, as JSON that people can read. Where the file's name had to be cut, the
 * value lies in `data`, beside the key that the name does not say.
 */
export function documentText(data: unknown, key: string | null): string {
  const value = valueToJson(data, 'data');
  return `${JSON.stringify(key === null ? value : { key, data: value }, null, 2)}\n`;
}

/** The value in a file's text. `key` as in `documentText`; `path` names the file where it is damaged. */
export function documentValue(text: string, key: string | null, path: string): unknown {
  const found = key === null ? parsed(text, path) : unwrapped(text, path);
  if (key !== null && found.key !== key) throw documentCorrupt(path, 'it is that of another key');
  return valueIn(found.data, path);
}

/** The key that a file with a shortened name has in it. */
export function keyInside(text: string, path: string): string {
  return unwrapped(text, path).key;
}

interface Found {
  readonly key?: string;
  readonly data: unknown;
}

function parsed(text: string, path: string): Found {
  try {
    return { data: JSON.parse(text) };
  } catch (error) {
    throw documentCorrupt(path, 'it is not JSON', error);
  }
}

function unwrapped(text: string, path: string): Required<Found> {
  const { key, data } = Object(parsed(text, path).data) as Partial<Found>;
  if (typeof key !== 'string') throw documentCorrupt(path, 'its key is missing');
  return { key, data };
}

function valueIn(json: unknown, path: string): unknown {
  let value: unknown;
  try {
    value = jsonToValue(json as Json);
  } catch (error) {
    const reason = isSavepointError(error) ? error.message : String(error);
    throw documentCorrupt(path, reason, error);
  }
  if (value === null || value === undefined) throw documentCorrupt(path, 'there is no value in it');
  return value;
}
