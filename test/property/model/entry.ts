/**
 * What the model says is at a path. A text is made of slots with padding between them, so that the
 * model can put one together from parts and never has to merge lines.
 */
export type Entry = TextEntry | BinaryEntry | LinkEntry | FolderEntry;
/** An entry, or nothing. */
export type Place = Entry | null;

export interface TextEntry {
  readonly kind: 'text';
  /** Different for each text that was written as a whole: no two share a padding line. */
  readonly text: number;
  /** Any number of lines each; '' for none. */
  readonly slots: readonly string[];
  readonly mode: number;
}

export interface BinaryEntry {
  readonly kind: 'binary';
  readonly seed: number;
  readonly mode: number;
}

export interface LinkEntry {
  readonly kind: 'link';
  readonly target: string;
}

export interface FolderEntry {
  readonly kind: 'folder';
  readonly mode: number;
}

export type FileEntry = TextEntry | BinaryEntry;

export function isFile(place: Place): place is FileEntry {
  return place?.kind === 'text' || place?.kind === 'binary';
}

/** Everything that can be told from outside, as one text. */
export function describe(place: Place): string {
  if (place === null) return 'nothing';
  if (place.kind === 'link') return `link to ${place.target}`;
  if (place.kind === 'folder') return `folder ${place.mode.toString(8)}`;
  return `file ${place.mode.toString(8)} ${contentOf(place)}`;
}

export function same(a: Place, b: Place): boolean {
  return a === b || describe(a) === describe(b);
}

/** The bytes of a file, one character for each. */
export function contentOf(file: FileEntry): string {
  return file.kind === 'text' ? textOf(file) : bytesOf(file);
}

/** Some texts have other line endings, some end without one: a merge must keep that. */
function textOf({ text, slots }: TextEntry): string {
  if (slots.length === 0) return '';
  const lines = slots.flatMap((slot, index) => [
    `padding ${text}.${index}`,
    ...(slot === '' ? [] : slot.split('\n')),
  ]);
  const end = text % 5 === 4 ? '\r\n' : '\n';
  return [...lines, `end ${text}`].join(end) + (text % 3 === 2 ? '' : end);
}

/** Some are too large for the database and lie in files of their own. */
function bytesOf({ seed }: BinaryEntry): string {
  const start = `binary ${seed}\0\xff\n`;
  return seed % 8 === 7 ? start.padEnd(80_000, start) : start;
}
