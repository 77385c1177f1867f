import { displayText, isTextPath, pathToBytes } from '../index.ts';
import type { Kind, ObjectKind } from '../model/check.ts';
import type { Call } from './command.ts';

/** The version of every JSON shape that a command prints. */
export const JSON_VERSION = 1;

// Characters that JSON allows and that a terminal or an editor would act on.
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** JSON that says the same as `JSON.stringify` and is safe to look at. */
export function jsonText(value: object): string {
  const text = JSON.stringify({ version: JSON_VERSION, ...value }, null, 2);
  return `${text.replace(UNSAFE, (sign) => (sign === '\n' ? sign : escaped(sign)))}\n`;
}

/** Prints a value with `--json`. `kind` describes it: the published schema says the same. */
export function printJson<T extends object>(call: Call, _kind: Kind<T>, value: NoInfer<T>): void {
  if (call.json) call.io.out(jsonText(value));
}

/** Those fields of a value that its description names: what is printed as it is. */
export function picked<T, V extends object>(
  { fields }: ObjectKind<T>,
  value: V,
): Pick<V, keyof V & keyof T> {
  const named = Object.entries(value).filter(([name]) => Object.hasOwn(fields, name));
  return Object.fromEntries(named) as Pick<V, keyof V & keyof T>;
}

function escaped(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, i) => sign.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/**
 * Names of files in JSON: the name itself where it is text. Another one is shown, and its bytes are
 * noted under what is shown, in base64.
 */
export class PathNames {
  readonly #bytes = new Map<string, string>();

  readonly name = (path: string): string => {
    if (isTextPath(path)) return path;
    const shown = displayText(path);
    this.#bytes.set(shown, Buffer.from(pathToBytes(path)).toString('base64'));
    return shown;
  };

  get pathBytes(): Record<string, string> {
    return Object.fromEntries(this.#bytes);
  }
}

/** A value in which files are named, and last the bytes of names that are only shown: all were asked for by then. */
export function withPathBytes<T extends object>(
  make: (names: PathNames) => T,
): T & Pick<PathNames, 'pathBytes'> {
  const names = new PathNames();
  return { ...make(names), pathBytes: names.pathBytes };
}
