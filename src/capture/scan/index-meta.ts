import type { GlobalRules } from '../ignore/index.ts';
import type { FolderRuleTexts, RuleFile } from './folder-rules.ts';
import type { IndexMeta, IndexStamp } from './scan-index.ts';

/** What an index holds beside its columns, as JSON. Texts stand once, however many folders share them. */
interface SavedMeta {
  readonly stamp: IndexStamp;
  readonly global: GlobalRules;
  readonly partialRoot: boolean;
  readonly texts: readonly string[];
  /** Folder number, .gitignore, .savepointignore, markers. */
  readonly rules: readonly (readonly [number, SavedFile, SavedFile, readonly string[]])[];
}

/** Number of the text or -1, whether racy, then mtime, ctime, inode and size as decimal digits, or null. */
type SavedFile = readonly [number, boolean, readonly string[] | null] | null;

export function encodeMeta({ stamp, global, rules, partialRoot }: IndexMeta): Uint8Array {
  const texts = new Map<string, number>();
  const saved: SavedMeta = {
    stamp,
    global,
    partialRoot,
    rules: [...rules].map(([folder, { gitignore, savepointignore, markers }]) => [
      folder,
      saveFile(gitignore, texts),
      saveFile(savepointignore, texts),
      markers,
    ]),
    texts: [...texts.keys()],
  };
  return Buffer.from(JSON.stringify(saved));
}

/** Null when these bytes were written by another program. */
export function decodeMeta(bytes: Uint8Array): IndexMeta | null {
  try {
    const saved = JSON.parse(Buffer.from(bytes).toString()) as SavedMeta;
    const { stamp, global, partialRoot, texts, rules } = saved;
    const loaded = rules.map(([folder, gitignore, savepointignore, markers]) => {
      const files = [gitignore, savepointignore].map((file) => loadFile(file, texts));
      const [first = null, second = null] = files;
      const own: FolderRuleTexts = { gitignore: first, savepointignore: second, markers };
      return [folder, own] as const;
    });
    const { storeId, seq, open, newest } = stamp;
    return {
      stamp: { storeId, seq, open: [...open], newest },
      global,
      partialRoot,
      rules: new Map(loaded),
    };
  } catch {
    return null;
  }
}

function saveFile(file: RuleFile | null, texts: Map<string, number>): SavedFile {
  if (file === null) return null;
  const { text, racy, stat } = file;
  const times = stat && [stat.mtimeNs, stat.ctimeNs, stat.ino, stat.size].map(String);
  return [text === null ? -1 : textNumber(text, texts), racy, times];
}

function textNumber(text: string, texts: Map<string, number>): number {
  const number = texts.get(text) ?? texts.size;
  texts.set(text, number);
  return number;
}

function loadFile(file: SavedFile, texts: readonly string[]): RuleFile | null {
  if (file === null) return null;
  const [number, racy, times] = file;
  const text = number === -1 ? null : (texts[number] ?? '');
  if (times === null) return { text, racy, stat: null };
  const [mtimeNs = 0n, ctimeNs = 0n, ino = 0n, size = 0n] = times.map(BigInt);
  return { text, racy, stat: { mtimeNs, ctimeNs, ino, size } };
}
