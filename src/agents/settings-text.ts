import { createScanner, type Node, type ParseError, parseTree } from 'jsonc-parser';

/*
 * Edits of other people's settings: JSON that may have comments and trailing commas. An edit adds or removes one
 * item of an array or an object, with the white space and the comma that belong to it, and leaves every other
 * character alone.
 */

/** A way through objects to a value: the names of the keys. */
export type JsonPath = readonly string[];

/** Settings cannot be read as the caller needs them. The message completes "FILE …". */
export class UnusableSettings extends Error {
  override readonly name = 'UnusableSettings';
}

/** The tree of a text; null for a text without any value. Throws `UnusableSettings` for what is not JSON. */
export function readSettings(text: string): Node | null {
  if (text.trim() === '') return null;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    throw new UnusableSettings(`is not JSON (line ${lineOf(text, error?.offset ?? 0)})`);
  }
  if (root.type !== 'object') throw new UnusableSettings('must hold an object');
  return root;
}

/** The value at a path; null where there is none. Throws where a key is there twice: nobody can say which counts. */
export function valueAt(root: Node, path: JsonPath): Node | null {
  const [key, ...rest] = path;
  if (key === undefined) return root;
  const property = propertyOf(root, key);
  return property === null ? null : valueAt(valueIn(property), rest);
}

export interface Appended {
  readonly text: string;
  /** The containers that had to be made, outermost first. */
  readonly made: readonly JsonPath[];
}

/** Adds an item at the end of the array at a path, and makes the array and the objects around it where they lack. */
export function appendTo(text: string, path: JsonPath, item: unknown): Appended {
  const root = readSettings(text);
  if (root === null) {
    const made = path.map((_, i) => path.slice(0, i + 1));
    return { text: `${text}${JSON.stringify(nested(path, item), null, UNIT)}\n`, made };
  }
  const style = styleOf(text, root);
  let container = root;
  for (const [i, key] of path.entries()) {
    const property = propertyOf(container, key);
    if (property === null) {
      const value = nested(path.slice(i + 1), item);
      const made = path.slice(i).map((_, j) => path.slice(0, i + j + 1));
      return { text: insert(text, container, { key, value }, style), made };
    }
    container = valueIn(property);
    const wanted = i === path.length - 1 ? 'array' : 'object';
    if (container.type !== wanted) {
      throw new UnusableSettings(
        `must have an ${wanted} under "${path.slice(0, i + 1).join('.')}"`,
      );
    }
  }
  return { text: insert(text, container, { key: null, value: item }, style), made: [] };
}

/** The same text without an item of an array or a property of an object. */
export function without(text: string, item: Node): string {
  const { parent } = item;
  const siblings = parent?.children ?? [];
  const before = siblings[siblings.indexOf(item) - 1];
  const end = item.offset + item.length;
  // An item goes with one comma: the one after it, or, at the end of a list, the one before it.
  const comma = commaFrom(text, end) ?? (before && commaFrom(text, before.offset + before.length));
  const start = startOf(text, item, before);
  let cut = text.slice(0, start) + text.slice(end);
  if (comma !== undefined && comma !== null) {
    // Behind the item it has moved to the left by now.
    const at = comma < start ? comma : comma - (end - start);
    cut = cut.slice(0, at) + cut.slice(at + 1);
  }
  return siblings.length === 1 && parent !== undefined ? closeUp(cut, parent.offset) : cut;
}

/**
 * Where the white space before an item begins. Behind a line comment the line break stays, unless another one
 * follows the item: otherwise what follows would become part of the comment.
 */
function startOf(text: string, item: Node, before: Node | undefined): number {
  const from =
    before === undefined ? (item.parent?.offset ?? 0) + 1 : before.offset + before.length;
  const last = text.slice(from, item.offset).match(COMMENTS_AND_COMMAS)?.at(-1);
  const isLineEnd = /^[ \t]*,?[ \t]*[\r\n]/.test(text.slice(item.offset + item.length));
  if (last?.startsWith('//') && !isLineEnd) return item.offset;
  return text.slice(0, item.offset).trimEnd().length;
}

const COMMENTS_AND_COMMAS = /\/\*[\s\S]*?\*\/|\/\/[^\r\n]*|,/g;

/** A container without items is written without white space; one that holds comments keeps all of it. */
function closeUp(text: string, open: number): string {
  const rest = text.slice(open + 1);
  const inner = rest.trimStart();
  return /^[\]}]/.test(inner) ? text.slice(0, open + 1) + inner : text;
}

interface Item {
  /** Null in an array. */
  readonly key: string | null;
  readonly value: unknown;
}

interface Style {
  readonly eol: string;
  readonly unit: string;
  /** Everything stands in one line. */
  readonly isOneLine: boolean;
}

const UNIT = '  ';

function styleOf(text: string, root: Node): Style {
  const first = root.children?.[0];
  const unit = first === undefined ? null : ownIndent(text, first.offset);
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    unit: unit || UNIT,
    isOneLine: first !== undefined && !textOf(text, root).includes('\n'),
  };
}

function insert(text: string, container: Node, item: Item, style: Style): string {
  const last = container.children?.at(-1);
  const isOneLine = !textOf(text, container).includes('\n');
  if (last === undefined) return fill(text, container, item, style);
  const end = last.offset + last.length;
  const trailing = commaFrom(text, end);
  const afterComma = trailing === null ? end : trailing + 1;
  // A comment behind the last item, in its line, is about that item.
  const at = afterComma + (COMMENT_BEHIND.exec(text.slice(afterComma))?.[0].length ?? 0);
  const indent = ownIndent(text, last.offset) ?? indentOf(text, container.offset) + style.unit;
  const written = isOneLine ? ` ${compact(item)}` : spread(item, indent, style);
  return (
    text.slice(0, end) +
    (trailing === null ? ',' : '') +
    text.slice(end, at) +
    written +
    (trailing === null ? '' : ',') +
    text.slice(at)
  );
}

/** The first item of a container. Comments that stand in it stay before the item. */
function fill(text: string, container: Node, item: Item, style: Style): string {
  const close = container.offset + container.length - 1;
  const at = text.slice(0, close).trimEnd().length;
  const outer = indentOf(text, container.offset);
  const isInLine = style.isOneLine && at === container.offset + 1;
  if (isInLine) return text.slice(0, at) + compact(item) + text.slice(at);
  const closing = text.slice(at, close).includes('\n') ? '' : style.eol + outer;
  return text.slice(0, at) + spread(item, outer + style.unit, style) + closing + text.slice(at);
}

const COMMENT_BEHIND = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)/;

function compact({ key, value }: Item): string {
  const json = JSON.stringify(value);
  return key === null ? json : `${JSON.stringify(key)}: ${json}`;
}

function spread({ key, value }: Item, indent: string, { eol, unit }: Style): string {
  const json = JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
  return eol + indent + (key === null ? json : `${JSON.stringify(key)}: ${json}`);
}

function nested(path: JsonPath, item: unknown): unknown {
  const [key, ...rest] = path;
  return key === undefined ? [item] : { [key]: nested(rest, item) };
}

function propertyOf(object: Node, key: string): Node | null {
  if (object.type !== 'object') return null;
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === key);
  if (found.length > 1) throw new UnusableSettings(`has the key "${key}" twice`);
  return found[0] ?? null;
}

function valueIn(property: Node): Node {
  const value = property.children?.[1];
  if (value === undefined) throw new UnusableSettings('has a key without a value');
  return value;
}

/** The place of a comma, if that is the next sign that is neither white space nor part of a comment. */
function commaFrom(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : null;
}

function textOf(text: string, { offset, length }: Node): string {
  return text.slice(offset, offset + length);
}

/** The white space with which the line of a place begins. */
function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The same where nothing else stands before the place in its line; null otherwise. */
function ownIndent(text: string, offset: number): string | null {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  return lineStart > 0 && before.trim() === '' ? before : null;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
